import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeTransport, type Transport } from "../../src/index.js";
import { fetchTransport } from "../../src/transport/fetch-transport.js";
import { startTestServer, type TestAnswer, type TestServer } from "../support/test-http.js";

let server: TestServer;
let handle: (response: ServerResponse) => Promise<TestAnswer | undefined>;
beforeEach(async () => {
  server = await startTestServer(async (_, response) => await handle(response));
});
afterEach(async () => await server.close());

async function read(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const transports: [string, Transport][] = [
  ["node:http", nodeTransport()],
  ["fetch", fetchTransport(fetch)],
];

for (const [name, transport] of transports) {
  describe(`the transport on ${name}`, () => {
    it("sends a request and streams the answer", async () => {
      handle = async () => ({ status: 201, headers: { "x-answer": "yes" }, body: { ok: true } });
      const answer = await transport({
        method: "POST",
        url: `${server.origin}/a?b=c`,
        headers: { "x-ask": "1" },
        body: "höhe",
      });
      expect([answer.status, answer.headers["x-answer"]]).toEqual([201, "yes"]);
      expect(await read(answer.body)).toBe('{"ok":true}');
      expect(server.seen[0]).toMatchObject({ method: "POST", path: "/a", body: "höhe" });
      expect(server.seen[0]?.headers["x-ask"]).toBe("1");
    });

    it("sends a stream", async () => {
      handle = async () => ({ status: 204 });
      async function* body(): AsyncIterable<Uint8Array> {
        yield Buffer.from("one ");
        yield Buffer.from("two");
      }
      await transport({ method: "PUT", url: server.origin, headers: {}, body: body() });
      expect(server.seen[0]?.body).toBe("one two");
    });

    it("never follows a redirect", async () => {
      handle = async () => ({ status: 302, headers: { location: "/elsewhere" } });
      const answer = await transport({ method: "GET", url: server.origin, headers: {} });
      expect([answer.status, answer.headers.location]).toEqual([302, "/elsewhere"]);
      expect(server.seen.length).toBe(1);
    });

    it("gives up when no answer comes in time", async () => {
      handle = async () => undefined;
      const waiting = transport({ method: "GET", url: server.origin, headers: {}, timeoutSeconds: 0.05 });
      await expect(waiting).rejects.toBeInstanceOf(Error);
    });

    it("releases an answer that is not read, of any length", async () => {
      for (const length of [undefined, "3", "100000000"]) {
        handle = async (response) => {
          response.writeHead(200, length === undefined ? {} : { "content-length": length }).write("abc");
          return undefined;
        };
        const answer = await transport({ method: "GET", url: server.origin, headers: {} });
        answer.discard();
        expect(answer.status).toBe(200);
      }
    });

    it("releases an answer that has been read", async () => {
      handle = async (response) => {
        response.writeHead(200, { "content-length": "3" }).end("abc");
        return undefined;
      };
      const answer = await transport({ method: "GET", url: server.origin, headers: {} });
      await read(answer.body);
      expect(() => answer.discard()).not.toThrow();
    });

    it("gives up when it is told to", async () => {
      const stop = new AbortController();
      handle = async () => {
        stop.abort();
        return undefined;
      };
      const waiting = transport({ method: "GET", url: server.origin, headers: {}, signal: stop.signal });
      await expect(waiting).rejects.toBeInstanceOf(Error);
      const late = transport({ method: "GET", url: server.origin, headers: {}, signal: stop.signal });
      await expect(late).rejects.toBeInstanceOf(Error);
    });

    it("rejects when the body that is sent breaks off", async () => {
      handle = async () => ({ status: 204 });
      async function* body(): AsyncIterable<Uint8Array> {
        yield Buffer.from("one");
        throw new Error("disk gone");
      }
      await expect(
        transport({ method: "PUT", url: server.origin, headers: {}, body: body() }),
      ).rejects.toBeInstanceOf(Error);
    });

    it("rejects when nothing listens", async () => {
      await expect(
        transport({ method: "GET", url: "http://127.0.0.1:1/", headers: {} }),
      ).rejects.toBeInstanceOf(Error);
    });
  });
}

it("gives up when the body of the answer stands still, on node:http and on fetch", async () => {
  handle = async (response) => {
    response.writeHead(200).write("begun");
    return undefined;
  };
  await Promise.all(
    transports.map(async ([, transport]) => {
      const url = server.origin;
      const answer = await transport({ method: "GET", url, headers: {}, timeoutSeconds: 2 });
      await expect(read(answer.body)).rejects.toBeInstanceOf(Error);
    }),
  );
});
