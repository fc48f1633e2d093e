/** What callers try: other spellings of the paths, and two requests in one. */
import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startProxy, statusesOf, type TestProxy } from "./support/proxy.js";
import { keySet, keySetPath, metadataPath, startUpstream, type TestUpstream } from "./support/upstream.js";

let upstream: TestUpstream;
let proxy: TestProxy;
let before: number;

beforeAll(async () => {
  upstream = await startUpstream((response) =>
    response.writeHead(200, { "Cache-Control": "no-store" }).end(keySet),
  );
  proxy = await startProxy(upstream);
});

beforeEach(() => {
  before = upstream.seen.length;
});

afterAll(async () => {
  await proxy.close();
  await upstream.close();
});

const seenUrls = () => upstream.seen.slice(before).map(({ url }) => url);

function request(target: string, ...lines: readonly string[]): string {
  return [`GET ${target} HTTP/1.1`, "Host: a", "Connection: close", ...lines, "", ""].join("\r\n");
}

describe("paths", () => {
  it.each([
    "//api/oauth/jwks",
    "/api//oauth/jwks",
    "/api/oauth/jwks/",
    "/api/oauth/jwks//",
    "/api/oauth%2fjwks",
    "/api/oauth%2Fjwks",
    "/api%2foauth%2fjwks",
    "/%61pi/oauth/jwks",
    "/api/oauth/jwk%73",
    "/api/oauth/jwks%00",
    "/api/oauth/jwks%20",
    "/api/oauth/jwks%3fa",
    "/api/oauth/jwks;a=b",
    "/api/oauth;a=b/jwks",
    "/api/oauth/jwks.json",
    "/api/oauth/./jwks",
    "/api/oauth/../oauth/jwks",
    "/api/oauth/jwks/..",
    "/api/oauth/jwks/../../admin",
    "/api/oauth/%2e%2e/oauth/jwks",
    "/api/oauth/jwks/%2e%2e/token",
    "/api\\oauth\\jwks",
    "/API/oauth/jwks",
    "/api/oauth/JWKS",
    "/api/oauth/jwks#a",
    "/api/oauth/jwks#?a",
    "/.well-known/oauth-authorization-server/",
    "/.well-known/oauth-authorization-server/tenant",
    "/.well-known//oauth-authorization-server",
    "/x/../.well-known/oauth-authorization-server",
    "http://a/api/oauth/jwks",
    "HTTPS://a/api/oauth/jwks",
    "http://169.254.169.254/api/oauth/jwks",
    "http:///api/oauth/jwks",
    "@attacker.example/api/oauth/jwks",
    "?/api/oauth/jwks",
    "/?/api/oauth/jwks",
    "*",
  ])("is not forwarded as %s", async (target) => {
    const received = await proxy.send(request(target));
    expect(statusesOf(received)).toHaveLength(1);
    // What Node's parser does not even take for a target is 400.
    expect([400, 404]).toContain(statusesOf(received)[0]);
    expect(seenUrls()).toEqual([]);
  });

  it("answers 404, not 405, to another method on another path", async () => {
    const received = await proxy.send(
      "POST /api/oauth/jwks/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    );
    expect(statusesOf(received)).toEqual([404]);
  });

  it("takes a query for no part of the path, and drops it", async () => {
    for (const query of ["?", "?a=b", "?a=/../b", "?/api/oauth/token", "??", "?%00"]) {
      expect(statusesOf(await proxy.send(request(`${keySetPath}${query}`)))).toEqual([200]);
    }
    expect(new Set(seenUrls())).toEqual(new Set([keySetPath]));
  });

  it("requests only its two paths from the upstream, for any target", async () => {
    const piece = fc.constantFrom(..."/ api oauth jwks .well-known .. %2f ; ? # //a".split(" "));
    const target = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
      fc.tuple(fc.constantFrom(keySetPath, metadataPath), piece).map((parts) => parts.join("")),
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
    );
    await fc.assert(
      fc.asyncProperty(target, async (text) => {
        const known = upstream.seen.length;
        const received = await proxy.send(request(text));
        const urls = upstream.seen.slice(known).map(({ url }) => url);
        const [path] = text.split("?", 1);
        const forwarded = path === keySetPath || path === metadataPath;
        expect(urls).toEqual(forwarded ? [path] : []);
        expect(statusesOf(received)[0] === 200).toBe(forwarded);
      }),
      { numRuns: 150 },
    );
  });
});

describe("two requests in one", () => {
  const second = `GET ${metadataPath} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;

  interface Row {
    readonly name: string;
    readonly lines: readonly string[];
    /** Stands before the Host header. */
    readonly first?: string;
    readonly body?: string;
  }
  const empty = "0\r\n\r\n";
  const rows: readonly Row[] = [
    {
      name: "Content-Length and Transfer-Encoding together",
      lines: ["Content-Length: 4", "Transfer-Encoding: chunked"],
      body: empty + second,
    },
    {
      name: "Transfer-Encoding and Content-Length together",
      lines: ["Transfer-Encoding: chunked", "Content-Length: 4"],
      body: empty + second,
    },
    {
      name: "two different lengths",
      lines: ["Content-Length: 0", `Content-Length: ${second.length}`],
      body: second,
    },
    { name: "the same length twice", lines: ["Content-Length: 0", "Content-Length: 0"], body: second },
    { name: "a list of lengths", lines: ["Content-Length: 0, 0"], body: second },
    { name: "a signed length", lines: ["Content-Length: +0"], body: second },
    { name: "a hexadecimal length", lines: ["Content-Length: 0x0"], body: second },
    { name: "an obscured Transfer-Encoding", lines: ["Transfer-Encoding: xchunked"], body: second },
    {
      name: "chunked that is not the last encoding",
      lines: ["Transfer-Encoding: chunked, identity"],
      body: second,
    },
    { name: "white space before a colon", lines: ["Transfer-Encoding : chunked"], body: empty + second },
    { name: "a header without a colon", lines: ["Transfer-Encoding"], body: second },
    { name: "a NUL in a header", lines: ["X-A: a\0b"] },
    { name: "a bare carriage return in a header", lines: ["X-A: a\rb"] },
    { name: "two hosts", lines: ["Host: b"] },
    { name: "a folded header that hides an encoding", lines: ["X-A: a", " Transfer-Encoding: chunked"] },
    { name: "white space before the first header", lines: [], first: " X-A: a" },
    { name: "bare line feeds", lines: ["X-A: a\nTransfer-Encoding: chunked"] },
    { name: "a wrong chunk size", lines: ["Transfer-Encoding: chunked"], body: "zz\r\n\r\n" },
  ];

  it.each(rows)("refuses $name", async ({ lines, first, body = "" }) => {
    const head = [`GET ${keySetPath} HTTP/1.1`, ...(first === undefined ? [] : [first]), "Host: a", ...lines];
    const received = await proxy.send(`${head.join("\r\n")}\r\n\r\n${body}`);
    expect(statusesOf(received)).toEqual([400]);
    expect(seenUrls()).not.toContain(metadataPath);
  });
});

describe("several requests on one connection", () => {
  const keep = (target: string) => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const last = request(metadataPath);

  it("are answered in their order", async () => {
    const received = await proxy.send(`${keep("/other")}${keep(keySetPath)}${last}`);
    expect(statusesOf(received)).toEqual([404, 200, 200]);
  });

  it.each([
    { name: "with a length", line: "Content-Length: 4", body: "abcd" },
    { name: "that is itself a request", line: `Content-Length: ${last.length}`, body: last },
    { name: "in chunks", line: "Transfer-Encoding: chunked", body: "4\r\nabcd\r\n0\r\n\r\n" },
  ])("end after a body $name: nothing behind it is answered", async ({ line, body }) => {
    const head = `GET ${keySetPath} HTTP/1.1\r\nHost: a\r\n${line}\r\n\r\n`;
    const received = await proxy.send(`${head}${body}${last}`);
    expect(statusesOf(received)).toEqual([200]);
    expect(received).toContain("\r\nConnection: close\r\n");
  });

  it("end after a refusal of a body, too", async () => {
    const head = `POST ${keySetPath} HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n`;
    expect(statusesOf(await proxy.send(`${head}abcd${last}`))).toEqual([405]);
  });
});

describe("other kinds of requests", () => {
  it("does not ask for a body, which it would not read", async () => {
    const received = await proxy.send(request(keySetPath, "Expect: 100-continue", "Content-Length: 1000"));
    expect(statusesOf(received)).toEqual([200]);
  });

  it("does not switch protocols", async () => {
    const head = `GET ${keySetPath} HTTP/1.1\r\nHost: a\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n`;
    expect(statusesOf(await proxy.send(`${head}\r\n`))).toEqual([200]);
  });

  it.each(["a:443", "169.254.169.254:80", "/api/oauth/jwks"])("opens no tunnel to %s", async (target) => {
    const received = await proxy.send(`CONNECT ${target} HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect([400, 404]).toContain(statusesOf(received)[0]);
    expect(seenUrls()).toEqual([]);
  });

  it("refuses HTTP/1.1 without a host, and other protocols", async () => {
    expect(statusesOf(await proxy.send(`GET ${keySetPath} HTTP/1.1\r\n\r\n`))).toEqual([400]);
    expect(statusesOf(await proxy.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))).toEqual([400]);
    expect(statusesOf(await proxy.send("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"))).toEqual([
      400,
    ]);
    expect(seenUrls()).toEqual([]);
  });

  it("answers HTTP/1.0", async () => {
    expect(statusesOf(await proxy.send(`GET ${keySetPath} HTTP/1.0\r\n\r\n`))).toEqual([200]);
  });

  it("refuses headers larger than 16 KiB", async () => {
    const received = await proxy.send(request(keySetPath, `Cookie: ${"x".repeat(20_000)}`));
    expect(statusesOf(received)).toEqual([431]);
    expect(seenUrls()).toEqual([]);
  });
});
