import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPrivateCa } from "./support/certificates.js";
import { startProxy, type TestProxy } from "./support/proxy.js";
import {
  keySet,
  keySetHeaders,
  keySetPath,
  metadataPath,
  type Respond,
  respondKeySet,
  startUpstream,
  type TestUpstream,
} from "./support/upstream.js";

const limit = 256 * 1024;
let upstream: TestUpstream;
let proxy: TestProxy;

beforeEach(async () => {
  upstream = await startUpstream();
  proxy = await startProxy(upstream);
});

afterEach(async () => {
  await proxy.close();
  await upstream.close();
});

describe("what passes", () => {
  it("passes what says what the answer is, how long it lasts and who may read it", async () => {
    const headers = {
      ...keySetHeaders,
      Date: "Fri, 20 Nov 2026 12:00:00 GMT",
      Age: "7",
      "Access-Control-Allow-Origin": "*",
      "X-Content-Type-Options": "nosniff",
    };
    upstream.respond = (response) => response.writeHead(200, headers).end(keySet);
    const answer = await proxy.get(keySetPath);
    for (const [name, value] of Object.entries(headers)) expect(answer.headers.get(name)).toBe(value);
    expect(await answer.text()).toBe(keySet);
  });

  it("passes nothing that belongs to the upstream's own connection or origin", async () => {
    const headers = {
      Server: "secret/1.0",
      "Strict-Transport-Security": "max-age=1",
      "Alt-Svc": 'h3=":443"',
      "Clear-Site-Data": '"*"',
      Link: "</a>; rel=preload",
    };
    upstream.respond = (response) => response.writeHead(200, headers).end(keySet);
    const answer = await proxy.get(keySetPath);
    for (const name of Object.keys(headers)) expect(answer.headers.has(name)).toBe(false);
  });

  it("passes an encoding that was not requested unchanged", async () => {
    const received = Buffer.from([0x1f, 0x8b, 0x08, 0xff]);
    upstream.respond = (response) => response.writeHead(200, { "Content-Encoding": "odd" }).end(received);
    const answer = await proxy.send(`GET ${keySetPath} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(answer).toContain("\r\nContent-Encoding: odd\r\n");
    expect(answer).toContain("\r\nContent-Length: 4\r\n");
  });

  it.each([200, 204, 400, 404, 429, 500, 503])("passes the status %i", async (status) => {
    upstream.respond = (response) => response.writeHead(status, { "Retry-After": "3" }).end();
    const answer = await proxy.get(keySetPath);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("retry-after")).toBe("3");
  });

  it("passes a body of exactly 256 KiB", async () => {
    upstream.respond = (response) => response.end(Buffer.alloc(limit, "x"));
    const answer = await proxy.get(keySetPath);
    expect((await answer.arrayBuffer()).byteLength).toBe(limit);
  });

  it("passes a chunked body with its length", async () => {
    upstream.respond = (response) => {
      response.write("one");
      response.end("two");
    };
    const answer = await proxy.get(keySetPath);
    expect(answer.headers.get("content-length")).toBe("6");
    expect(answer.headers.has("transfer-encoding")).toBe(false);
    expect(await answer.text()).toBe("onetwo");
  });
});

describe("what does not pass", () => {
  const refusals: readonly (readonly [name: string, reason: string, respond: Respond])[] = [
    ...[301, 302, 303, 304, 307, 308].map((status) => {
      const respond: Respond = (response) =>
        response.writeHead(status, { Location: "https://elsewhere.example/" }).end();
      return [`a redirect, ${status}`, "redirect", respond] as const;
    }),
    ["a cookie", "set_cookie", (response) => response.writeHead(200, { "Set-Cookie": "a=b" }).end(keySet)],
    [
      "a cookie with an error",
      "set_cookie",
      (response) => response.writeHead(503, { "Set-Cookie": "a=b" }).end(),
    ],
    [
      "one byte more than 256 KiB, announced",
      "too_large",
      (response) => response.writeHead(200, { "Content-Length": limit + 1 }).flushHeaders(),
    ],
    [
      "one byte more than 256 KiB, not announced",
      "too_large",
      (response) => {
        response.write(Buffer.alloc(limit));
        response.write("x");
      },
    ],
    [
      "headers without end",
      "malformed",
      (response) => response.writeHead(200, { "X-Large": "x".repeat(40_000) }).end(keySet),
    ],
    [
      "a body that breaks off before its announced length",
      "broken_off",
      (response) => {
        response.writeHead(200, { ...keySetHeaders, "Content-Length": 100 });
        response.write("half", () => response.destroy());
      },
    ],
    [
      "a chunked body that breaks off",
      "broken_off",
      (response) => {
        response.writeHead(200, keySetHeaders);
        response.write("half", () => response.destroy());
      },
    ],
    ["a connection that closes without an answer", "broken_off", (response) => response.destroy()],
  ];

  it.each(refusals)("refuses %s", async (_name, reason, respond) => {
    upstream.respond = respond;
    const answer = await proxy.get(keySetPath);
    expect(answer.status).toBe(502);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.has("location")).toBe(false);
    expect(answer.headers.has("set-cookie")).toBe(false);
    expect(await answer.json()).toMatchObject({ error: "bad_gateway" });
    expect(proxy.log.at(-1)).toMatchObject({ level: 50, path: keySetPath, reason });
    expect(upstream.seen).toHaveLength(1);
  });

  it.each([
    { name: "another protocol", text: "SSH-2.0-OpenSSH_9\r\n" },
    {
      name: "a switch of protocols",
      text: "HTTP/1.1 101 Switching\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\n",
    },
    {
      name: "two ways to tell its length",
      text: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    },
    { name: "two lengths", text: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab" },
  ])("refuses $name", async ({ text }) => {
    const authority = createPrivateCa();
    const server = createTlsServer(authority.issue("127.0.0.1"), (socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.write(text));
    });
    const other = await startProxy({ ...upstream, origin: await listen(server), ca: authority.certificate });
    expect((await other.get(keySetPath)).status).toBe(502);
    expect(other.log.at(-1)).toMatchObject({ reason: "malformed" });
    await other.close();
    server.close();
  });

  it("is well again as soon as the upstream is", async () => {
    upstream.respond = (response) => response.destroy();
    expect((await proxy.get(keySetPath)).status).toBe(502);
    upstream.respond = respondKeySet;
    expect((await proxy.get(keySetPath)).status).toBe(200);
  });

  it("reports that nothing listens", async () => {
    await upstream.close();
    expect((await proxy.get(keySetPath)).status).toBe(502);
    expect(proxy.log.at(-1)).toMatchObject({ reason: "unreachable" });
    expect(proxy.log.at(-1)?.msg).toContain("ECONNREFUSED");
    upstream = await startUpstream();
  });
});

describe("time", () => {
  const slow: { name: string; respond: Respond }[] = [
    { name: "never answers", respond: () => undefined },
    { name: "never ends its body", respond: (response) => response.writeHead(200, keySetHeaders).write("{") },
  ];

  it.each(slow)("answers 504 when the upstream $name", async ({ respond }) => {
    await proxy.close();
    proxy = await startProxy(upstream, { timeoutMilliseconds: 200 });
    upstream.respond = respond;
    const answer = await proxy.get(keySetPath);
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({ error: "gateway_timeout" });
    expect(proxy.log.at(-1)).toMatchObject({ reason: "timeout" });
    expect(upstream.seen).toHaveLength(1);
  });

  it("answers 504 when the upstream accepts the connection and says nothing, not even TLS", async () => {
    const silent = createServer((socket) => sockets.push(socket));
    const sockets: Socket[] = [];
    const origin = await listen(silent);
    const patient = await startProxy({ ...upstream, origin }, { timeoutMilliseconds: 50 });
    expect((await patient.get(keySetPath)).status).toBe(504);
    await patient.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it("lets the other document through while one is slow", async () => {
    upstream.respond = (response, { url }) => {
      if (url === metadataPath) respondKeySet(response);
    };
    const slowAnswer = proxy.get(keySetPath).catch(() => undefined);
    await upstream.untilSeen(1);
    expect((await proxy.get(metadataPath)).status).toBe(200);
    await proxy.close();
    await slowAnswer;
  });
});

describe("the upstream's certificate", () => {
  it("has to be of the given CA", async () => {
    await proxy.close();
    proxy = await startProxy(upstream, { upstreamCa: createPrivateCa("Another CA").certificate });
    expect((await proxy.get(keySetPath)).status).toBe(502);
    expect(proxy.log.at(-1)).toMatchObject({ reason: "certificate" });
  });

  it("has to name the host", async () => {
    const authority = createPrivateCa();
    const server = createTlsServer(authority.issue("127.0.0.2"));
    const other = await startProxy({ ...upstream, origin: await listen(server), ca: authority.certificate });
    expect((await other.get(keySetPath)).status).toBe(502);
    expect(other.log.at(-1)).toMatchObject({ reason: "certificate" });
    expect(other.log.at(-1)?.msg).toContain("ERR_TLS_CERT_ALTNAME_INVALID");
    await other.close();
    server.close();
  });

  it("is verified against the public CAs, even where NODE_TLS_REJECT_UNAUTHORIZED is 0", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    await proxy.close();
    proxy = await startProxy(upstream, { upstreamCa: undefined });
    expect((await proxy.get(keySetPath)).status).toBe(502);
    expect(proxy.log.at(-1)).toMatchObject({ reason: "certificate" });
    expect(upstream.seen).toEqual([]);
    vi.unstubAllEnvs();
  });
});

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
