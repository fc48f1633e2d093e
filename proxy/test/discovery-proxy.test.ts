/** What the documentation promises of the discovery proxy, all in one place. */
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startProxy, statusesOf, type TestProxy } from "./support/proxy.js";
import { keySet, keySetPath, metadataPath, startUpstream, type TestUpstream } from "./support/upstream.js";

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

const statusListPath = "/oauth/status";

/** There is no health endpoint. */
const healthPaths = ["/health", "/healthz", "/livez", "/readyz", "/ready", "/ping", "/status", "/metrics"];

describe("the discovery proxy", () => {
  it("listens on plain HTTP", async () => {
    const received = await proxy.send("GET /api/oauth/jwks HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it("forwards the metadata and the key set, unchanged", async () => {
    const body = Buffer.from([0x7b, 0x22, 0xff, 0x00, 0x0d, 0x0a, 0x22, 0x7d]);
    upstream.respond = (response) =>
      response
        .writeHead(418, { "Content-Type": "application/odd; a=b", "Cache-Control": "max-age=7, x" })
        .end(body);
    for (const path of [metadataPath, keySetPath]) {
      const answer = await proxy.get(path);
      expect(answer.status).toBe(418);
      expect(answer.headers.get("content-type")).toBe("application/odd; a=b");
      expect(answer.headers.get("cache-control")).toBe("max-age=7, x");
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(body);
    }
    expect(upstream.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${metadataPath}`,
      `GET ${keySetPath}`,
    ]);
  });

  it.each([
    "/",
    "/api/oauth/token",
    "/.well-known/openid-configuration",
    "/.well-known/oauth-protected-resource",
    statusListPath,
    "/oauth/status/lists",
    ...healthPaths,
  ])("answers 404 at every other path: %s", async (path) => {
    expect((await proxy.get(path)).status).toBe(404);
    expect(upstream.seen).toEqual([]);
  });

  it.each(["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"])(
    "answers 405 to other methods: %s",
    async (method) => {
      for (const path of [metadataPath, keySetPath]) {
        const received = await proxy.send(
          `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
        );
        expect(statusesOf(received)).toEqual([405]);
        expect(received).toContain("\r\nAllow: GET\r\n");
      }
      expect(upstream.seen).toEqual([]);
    },
  );

  it("accepts a connection without a request and sends none upstream: enough for a TCP check", async () => {
    const socket = connect(proxy.port, "127.0.0.1");
    await once(socket, "connect");
    socket.destroy();
    await once(socket, "close");
    expect(upstream.seen).toEqual([]);
  });
});

describe("what it leaves out", () => {
  it("sends nothing of the caller's request upstream", async () => {
    const answer = await proxy.send(
      [
        `GET ${keySetPath}?secret=1 HTTP/1.1`,
        "Host: attacker.example",
        "Authorization: DPoP secret",
        "Cookie: session=secret",
        "X-Forwarded-For: 10.0.0.1",
        "Forwarded: for=10.0.0.1",
        "If-None-Match: W/nothing",
        "Range: bytes=0-3",
        "Accept-Encoding: gzip",
        "Content-Length: 6",
        "Connection: close, X-Custom",
        "X-Custom: secret",
        "",
        "secret",
      ].join("\r\n"),
    );
    expect(statusesOf(answer)).toEqual([200]);
    expect(upstream.seen).toEqual([
      {
        method: "GET",
        url: keySetPath,
        headers: [
          "accept: application/json",
          "accept-encoding: identity",
          "user-agent: authz-discovery-proxy",
          "via: 1.1 authz-discovery-proxy",
          `Host: ${new URL(upstream.origin).host}`,
          "Connection: keep-alive",
        ].flatMap((line) => line.split(": ")),
        body: "",
        connection: 1,
      },
    ]);
  });

  it("keeps no state: two of them answer alike", async () => {
    const other = await startProxy(upstream);
    const [one, two] = await Promise.all([proxy.get(keySetPath), other.get(keySetPath)]);
    expect([await one.text(), await two.text()]).toEqual([keySet, keySet]);
    await other.close();
  });
});

it("closes running requests when the grace time is over", async () => {
  upstream.respond = () => undefined;
  const answering = proxy.get(keySetPath).then(
    () => "answered",
    () => "cut",
  );
  const halfSent = connect(proxy.port, "127.0.0.1");
  halfSent.on("error", () => undefined);
  await once(halfSent, "connect");
  halfSent.write("GET /api/oauth/jwks HTT");
  await upstream.untilSeen(1);
  await proxy.close(10);
  expect(await answering).toBe("cut");
});

it("logs one line per request to the upstream and none per caller", async () => {
  for (const path of [keySetPath, keySetPath, "/other", `${keySetPath}?a`]) await proxy.get(path);
  expect(proxy.log).toEqual([
    { level: 30, time: 0, path: keySetPath, status: 200, ms: 0, msg: "The upstream answered." },
  ]);
});

describe("a proxy with AUTHZ_FORWARD_STATUS_LIST", () => {
  const list = `${"x".repeat(300_000)}.y.z`;
  let forwarding: TestProxy;
  beforeEach(async () => {
    forwarding = await startProxy(upstream, { forwardStatusList: true });
    upstream.respond = (response) =>
      response
        .writeHead(200, {
          "Content-Type": "application/statuslist+jwt",
          "Cache-Control": "public, max-age=10",
          ETag: 'W/"one"',
        })
        .end(list);
  });
  afterEach(() => forwarding.close());

  it("forwards the list, too, asks for it without the caller's query, and keeps it for ten seconds", async () => {
    const answer = await forwarding.get(`${statusListPath}?time=1`);
    expect(answer.headers.get("content-type")).toBe("application/statuslist+jwt");
    expect(await answer.text()).toBe(list);
    const unchanged = await forwarding.get(statusListPath, { "if-none-match": 'W/"one"' });
    expect(unchanged.status).toBe(304);
    expect(upstream.seen).toHaveLength(1);
    expect(upstream.seen[0]).toMatchObject({ method: "GET", url: statusListPath });
    expect(upstream.seen[0]?.headers.join("\n")).toContain("accept\napplication/statuslist+jwt");
    forwarding.advance(10);
    await forwarding.get(statusListPath);
    expect(upstream.seen).toHaveLength(2);
  });

  it("still forwards no metadata of that size, and no list beyond 4 MiB", async () => {
    expect((await forwarding.get(metadataPath)).status).toBe(502);
    upstream.respond = (response) => response.writeHead(200).end("x".repeat(4 * 1024 * 1024 + 1));
    expect((await forwarding.get(statusListPath)).status).toBe(502);
  });
});
