import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startProxy, statusesOf, type TestProxy } from "./support/proxy.js";
import {
  keySet,
  keySetPath,
  type Respond,
  respondKeySet,
  startUpstream,
  type TestUpstream,
} from "./support/upstream.js";

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

describe("kept connections", () => {
  const unshared: Respond = (response) =>
    response.writeHead(200, { "Cache-Control": "no-store" }).end(keySet);
  const connectionsOf = () => upstream.seen.map(({ connection }) => connection);

  it("uses one connection for one request after the other", async () => {
    upstream.respond = unshared;
    for (let i = 0; i < 3; i += 1) await (await proxy.get(keySetPath)).text();
    expect(connectionsOf()).toEqual([1, 1, 1]);
  });

  it("asks once more, on a new connection, when the upstream closed a kept one", async () => {
    upstream.respond = unshared;
    await (await proxy.get(keySetPath)).text();
    upstream.respond = (response, { connection }) =>
      connection === 1 ? response.destroy() : respondKeySet(response);
    expect((await proxy.get(keySetPath)).status).toBe(200);
    expect(connectionsOf()).toEqual([1, 1, 2]);
  });

  it("are four at most, however many callers come during a response that must not be stored", async () => {
    const held: ServerResponse[] = [];
    upstream.respond = (response) => {
      response.writeHead(200, { "Cache-Control": "no-store" }).flushHeaders();
      held.push(response);
    };
    const callers: Promise<Response>[] = [];
    await vi.waitUntil(
      () => {
        callers.push(proxy.get(keySetPath));
        return upstream.seen.length >= 4;
      },
      { interval: 20, timeout: 120_000 },
    );
    for (let i = 0; i < 20; i += 1) callers.push(proxy.get(keySetPath));
    upstream.respond = unshared;
    for (const response of held) response.end(keySet);
    const answers = await Promise.all(callers);
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(callers.map(() => keySet));
    expect(Math.max(...connectionsOf())).toBe(4);
  });

  it("does not ask a third time", async () => {
    upstream.respond = unshared;
    await (await proxy.get(keySetPath)).text();
    upstream.respond = (response) => response.destroy();
    expect((await proxy.get(keySetPath)).status).toBe(502);
    expect(connectionsOf()).toEqual([1, 1, 2]);
  });

  it("does not ask again when a kept connection breaks off during the answer", async () => {
    upstream.respond = unshared;
    await (await proxy.get(keySetPath)).text();
    upstream.respond = (response) => {
      response.writeHead(200, { "Content-Length": 100 });
      response.write("half", () => response.destroy());
    };
    expect((await proxy.get(keySetPath)).status).toBe(502);
    expect(connectionsOf()).toEqual([1, 1]);
  });

  it("does not ask again when time ran out on a kept connection", async () => {
    await proxy.close();
    proxy = await startProxy(upstream, { timeoutMilliseconds: 200 });
    upstream.respond = unshared;
    await (await proxy.get(keySetPath)).text();
    upstream.respond = () => undefined;
    expect((await proxy.get(keySetPath)).status).toBe(504);
    expect(connectionsOf()).toEqual([1, 1]);
  });
});

describe("sharing and freshness", () => {
  it("asks once for many callers", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => proxy.get(keySetPath)));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text())))).toEqual(new Set([keySet]));
    expect(upstream.seen).toHaveLength(1);
  });

  it("asks once for concurrent callers of a response that must not be stored", async () => {
    upstream.respond = (response) => response.writeHead(200, { "Cache-Control": "no-store" }).end(keySet);
    const one = `GET ${keySetPath} HTTP/1.1\r\nHost: a\r\n`;
    const received = await proxy.send(`${`${one}\r\n`.repeat(9)}${one}Connection: close\r\n\r\n`);
    expect(statusesOf(received)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(upstream.seen).toHaveLength(1);
  });

  it("asks again when the answer is no longer fresh, and tells its age until then", async () => {
    expect((await proxy.get(keySetPath)).headers.get("age")).toBeNull();
    proxy.advance(269);
    expect((await proxy.get(keySetPath)).headers.get("age")).toBe("269");
    proxy.advance(31);
    expect((await proxy.get(keySetPath)).headers.get("age")).toBeNull();
    expect(upstream.seen).toHaveLength(2);
  });

  it("answers 504 or 502, not an old copy, once the copy is no longer fresh", async () => {
    await proxy.get(keySetPath);
    proxy.advance(300);
    upstream.respond = (response) => response.destroy();
    expect((await proxy.get(keySetPath)).status).toBe(502);
  });

  it.each([
    { tags: '"one"', status: 304 },
    { tags: 'W/"one"', status: 304 },
    { tags: '"zero", "one"', status: 304 },
    { tags: "*", status: 304 },
    { tags: '"zero"', status: 200 },
    { tags: "one", status: 200 },
    { tags: "", status: 200 },
  ])("answers $status to a caller that has $tags, first and from the copy", async ({ tags, status }) => {
    for (let i = 0; i < 2; i += 1) {
      const answer = await proxy.get(keySetPath, { "If-None-Match": tags });
      expect(answer.status).toBe(status);
      expect(answer.headers.get("etag")).toBe('"one"');
      expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
      expect(await answer.text()).toBe(status === 304 ? "" : keySet);
    }
  });

  it("never turns an error into 304", async () => {
    upstream.respond = (response) => response.writeHead(503, { ETag: '"one"' }).end();
    expect((await proxy.get(keySetPath, { "If-None-Match": "*" })).status).toBe(503);
  });
});
