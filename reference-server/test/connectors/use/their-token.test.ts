import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { brotliCompressSync, createBrotliCompress, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Forwarding, startForwarding } from "./forwarding.js";

let forwarding: Forwarding;

beforeAll(async () => {
  forwarding = await startForwarding();
});
afterAll(() => forwarding.close());
beforeEach(() => forwarding.api.forget());

const answerWith = (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  forwarding.api.answer = answer;
};

describe("the token never comes back", () => {
  test("in headers, and in a body that cuts it anywhere", async () => {
    answerWith((request, response) => {
      const echo = `got ${String(request.headers.authorization)} twice ${encodeURIComponent(forwarding.token)}`;
      response.writeHead(200, { "x-echo": String(request.headers.authorization) });
      let at = 0;
      const write = () => {
        response.write(echo.slice(at, at + 5));
        at += 5;
        if (at < echo.length) setImmediate(write);
        else response.end();
      };
      write();
    });
    const { headers, body } = await forwarding.send();
    expect(headers["x-echo"]).toMatch(/^Bearer \*+$/);
    expect(body).toMatch(/^got Bearer \*+ twice \*+$/);
    expect(body).not.toContain("theirs");
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ])("in a body that is compressed with %s all the same", async (encoding, compress) => {
    answerWith((request, response) => {
      const bytes = compress(`token ${String(request.headers.authorization)}`);
      response.writeHead(200, { "content-encoding": encoding, "content-length": bytes.length });
      response.end(bytes);
    });
    const { headers, body } = await forwarding.send({ headers: { "accept-encoding": "gzip, br" } });
    expect(forwarding.api.seen[0]?.headers["accept-encoding"]).toBe("identity");
    expect(headers["content-encoding"]).toBeUndefined();
    expect(headers["content-length"]).toBeUndefined();
    expect(body).toMatch(/^token Bearer \*+$/);
  });

  test("and an empty body that is said to be compressed stays empty", async () => {
    answerWith((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip", "content-length": 0 }).end();
    });
    expect(await forwarding.send()).toMatchObject({ status: 200, body: "" });
  });

  test("and no more brotli than fits into memory is decoded at the same time", async () => {
    const waiting: (() => void)[] = [];
    answerWith((_request, response) => {
      response.writeHead(200, { "content-encoding": "br" });
      const encoder = createBrotliCompress();
      encoder.pipe(response);
      encoder.write("a");
      encoder.flush();
      waiting.push(() => encoder.end("b"));
    });
    const held = await Promise.all(Array.from({ length: 16 }, () => forwarding.open()));
    const { status, headers, body } = await forwarding.send();
    expect([status, headers["retry-after"]]).toEqual([503, "1"]);
    expect(JSON.parse(body)).toMatchObject({ error: "temporarily_unavailable", sent: "maybe" });
    for (const end of waiting) end();
    expect(await Promise.all(held.map((answer) => text(answer.body)))).toEqual(Array(16).fill("ab"));
    answerWith((_request, response) => {
      response.writeHead(200, { "content-encoding": "br" }).end(brotliCompressSync("ok"));
    });
    expect(await forwarding.send()).toMatchObject({ status: 200, body: "ok" });
  });

  test("and an answer in an unknown encoding is not passed on", async () => {
    answerWith((_request, response) => void response.writeHead(200, { "content-encoding": "zstd" }).end("x"));
    const { status, headers, body } = await forwarding.send();
    expect(status).toBe(502);
    expect(headers["proxy-status"]).toBe("authz; error=http_response_content_coding");
    expect(JSON.parse(body)).toMatchObject({ error: "provider_unreachable", sent: "maybe" });
  });
});

test("a token that the third party refuses is passed on as 401 and refreshed before the next use", async () => {
  const { connector, connection } = await forwarding.connect();
  const { database } = forwarding.system;
  await database.query("UPDATE connections SET connected_at = connected_at - interval '61 seconds'");
  answerWith((_request, response) => void response.writeHead(401).end("no"));
  const answer = await forwarding.send({ key: connector.key });
  expect(answer).toMatchObject({ status: 401, body: "no" });
  expect(answer.headers["proxy-status"]).toBe("authz; received-status=401");
  expect(forwarding.api.seen).toHaveLength(1);
  const stale = await forwarding.system.server.context.store.connections.find(connection.id);
  expect(stale?.accessExpiresAt?.getTime()).toBeLessThanOrEqual(Date.now());
});

test("a token that came less than a minute ago is not refreshed for a 401, which is about something else", async () => {
  const { connector, connection } = await forwarding.connect();
  answerWith((_request, response) => void response.writeHead(401).end("no"));
  const find = () => forwarding.system.server.context.store.connections.find(connection.id);
  expect((await forwarding.send({ key: connector.key })).status).toBe(401);
  expect((await find())?.accessExpiresAt).toBeNull();
  const { database } = forwarding.system;
  const aMinuteAgo = "connected_at = now() - interval '61 seconds'";
  await database.query(`UPDATE connections SET ${aMinuteAgo}, refreshed_at = now() - interval '50 seconds'`);
  await forwarding.send({ key: connector.key });
  expect((await find())?.accessExpiresAt).toBeNull();
});
