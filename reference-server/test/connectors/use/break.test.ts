import { once } from "node:events";
import { PassThrough } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Forwarding, startForwarding } from "./forwarding.js";
import { countUses, lastUse, pieces, read, refusalIn } from "./outcomes.js";

let forwarding: Forwarding;
const limits = {
  requestBytes: 100_000,
  responseBytes: 100_000,
  timeoutSeconds: 30,
  requestsPerMinute: 100_000,
};

beforeAll(async () => {
  forwarding = await startForwarding();
  await forwarding.restore({ limits });
});
afterAll(() => forwarding.close());
beforeEach(() => forwarding.api.forget());

describe("a body", () => {
  test("of exactly the limit goes up, with a length and in chunks", async () => {
    expect(await forwarding.send({ method: "POST", body: Buffer.alloc(100_000) })).toMatchObject({
      status: 200,
    });
    expect(await forwarding.send({ method: "POST", body: pieces(100_000) })).toMatchObject({ status: 200 });
    expect(forwarding.api.seen.map(({ bytes }) => bytes)).toEqual([100_000, 100_000]);
  });

  test("of one byte more does not, and the third party sees that it is not complete", async () => {
    const before = await countUses(forwarding);
    const answer = await forwarding.send({ method: "POST", body: pieces(100_001) });
    expect(refusalIn(answer)).toEqual({
      status: 413,
      error: "request_too_large",
      sent: "maybe",
      proxy: "http_request_error",
    });
    expect(forwarding.api.seen.filter(({ complete }) => complete)).toEqual([]);
    expect(await lastUse(forwarding, before + 1)).toMatchObject({
      outcome: "failed",
      data: { status: null },
    });
  });

  test("without an end does not stand in memory", async () => {
    const answer = await forwarding.send({ method: "POST", body: pieces(Number.POSITIVE_INFINITY) });
    expect(answer.status).toBe(413);
    // It can be too much before the first byte of it is there.
    expect(forwarding.api.seen[0]?.bytes ?? 0).toBeLessThanOrEqual(100_000);
  });

  test("that breaks off looks broken to the third party as well", async () => {
    const before = await countUses(forwarding);
    const body = new PassThrough();
    let reached: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      reached = resolve;
    });
    let broken: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      broken = resolve;
    });
    forwarding.api.streams = (request) => {
      request.once("data", reached).once("error", broken);
    };
    const sending = forwarding.send({ method: "POST", body });
    body.write("the beginning");
    await arrived;
    body.destroy(new Error("gone"));
    await expect(sending).rejects.toThrow("socket hang up");
    await ended;
    expect(await lastUse(forwarding, before + 1)).toMatchObject({
      outcome: "failed",
      data: { status: null, requestBytes: 13 },
    });
  });

  test("that is not read to the end does not block the answer", async () => {
    forwarding.api.streams = (_request, response) => void response.writeHead(403).end("early");
    const body = new PassThrough();
    body.write("a");
    const answer = await forwarding.send({ method: "POST", body });
    expect(answer).toMatchObject({ status: 403, body: "early" });
    body.end();
  });
});

describe("an answer", () => {
  test("of exactly the limit comes down, with a length and in chunks", async () => {
    forwarding.api.answer = (_request, response) => void response.end(Buffer.alloc(100_000));
    expect(await read(await forwarding.open())).toEqual({ bytes: 100_000, complete: true });
    forwarding.api.answer = (_request, response) => void pieces(100_000).pipe(response);
    expect(await read(await forwarding.open())).toEqual({ bytes: 100_000, complete: true });
  });

  test("that says that it is longer is refused at once", async () => {
    const before = await countUses(forwarding);
    forwarding.api.answer = (_request, response) => {
      response.writeHead(200, { "content-length": 100_001 }).flushHeaders();
    };
    expect(refusalIn(await forwarding.send())).toEqual({
      status: 502,
      error: "response_too_large",
      sent: "maybe",
      proxy: "http_response_body_size",
    });
    expect(await lastUse(forwarding, before + 1)).toMatchObject({
      outcome: "success",
      data: { status: 200, responseBytes: 0 },
    });
  });

  test.each([
    ["one byte longer", () => pieces(100_001)],
    ["endless", () => pieces(Number.POSITIVE_INFINITY)],
  ])("that is %s breaks, and never looks complete", async (_name, body) => {
    const before = await countUses(forwarding);
    let ended: Promise<unknown> = Promise.resolve();
    forwarding.api.answer = (_request, response) => {
      ended = once(response, "close");
      body().pipe(response);
    };
    const { bytes, complete } = await read(await forwarding.open());
    expect(complete).toBe(false);
    expect(bytes).toBeLessThanOrEqual(100_000);
    await ended;
    const { data } = await lastUse(forwarding, before + 1);
    expect(data).toMatchObject({ status: 200 });
    expect(data["responseBytes"]).toBeLessThanOrEqual(100_000);
  });

  test("that grows too long when it is decoded breaks", async () => {
    forwarding.api.answer = (_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(100_001)));
    };
    expect(await read(await forwarding.open())).toMatchObject({ complete: false });
  });

  test.each([
    ["with a length", { "content-length": 1000 }],
    ["in chunks", {}],
  ])("that breaks off in the middle %s breaks off here", async (_name, headers) => {
    forwarding.api.answer = (_request, response) => {
      response.writeHead(200, headers);
      response.write("only this", () => response.destroy());
    };
    expect(await read(await forwarding.open())).toMatchObject({ complete: false });
  });

  test("that is broken compression breaks", async () => {
    forwarding.api.answer = (_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(100)).subarray(0, 20));
    };
    expect(await read(await forwarding.open())).toMatchObject({ complete: false });
  });

  test("that never begins ends with 504, and may have been carried out", async () => {
    await forwarding.restore({ limits: { ...limits, timeoutSeconds: 1 } });
    forwarding.api.answer = () => undefined;
    const answer = await forwarding.send();
    await forwarding.restore({ limits });
    expect(refusalIn(answer)).toEqual({
      status: 504,
      error: "provider_timeout",
      sent: "maybe",
      proxy: "http_response_timeout",
    });
    expect(forwarding.api.seen).toHaveLength(1);
  });

  test("that never ends breaks when the time is over", async () => {
    await forwarding.restore({ limits: { ...limits, timeoutSeconds: 1 } });
    forwarding.api.answer = (_request, response) => void response.write("a");
    const answer = await forwarding.open();
    expect(await read(answer)).toEqual({ bytes: 1, complete: false });
    await forwarding.restore({ limits });
  });

  test.each([
    ["nothing at all", (socket: NodeJS.WritableStream) => void socket.end(), "connection_terminated"],
    [
      "something else than HTTP",
      (socket: NodeJS.WritableStream) => void socket.end("220 smtp\r\n\r\n"),
      "http_protocol_error",
    ],
    [
      "two lengths",
      (socket: NodeJS.WritableStream) =>
        void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
      "connection_terminated",
    ],
    [
      "a length and chunks",
      (socket: NodeJS.WritableStream) =>
        void socket.end(
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ),
      "connection_terminated",
    ],
    [
      "a status that does not exist",
      (socket: NodeJS.WritableStream) => void socket.end("HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n"),
      "http_protocol_error",
    ],
    [
      "endless headers",
      (socket: NodeJS.WritableStream) =>
        void socket.end(`HTTP/1.1 200 OK\r\n${`x: ${"a".repeat(1000)}\r\n`.repeat(40)}\r\n`),
      "http_response_header_section_size",
    ],
  ])("that is %s is none, and nothing is sent a second time", async (_name, answer, proxy) => {
    const before = await countUses(forwarding);
    forwarding.api.answer = ({ socket }) => answer(socket);
    const refused = refusalIn(await forwarding.send());
    expect(refused).toMatchObject({ status: 502, sent: "maybe", proxy });
    expect(forwarding.api.seen).toHaveLength(1);
    expect((await lastUse(forwarding, before + 1)).data["status"] ?? 999).toBe(999);
  });

  test.each(["GET", "POST"])(
    "that is a reset connection is none (%s), also on a connection that was idle",
    async (method) => {
      await forwarding.send();
      forwarding.api.seen.length = 0;
      forwarding.api.answer = ({ socket }) => void socket.resetAndDestroy();
      expect(refusalIn(await forwarding.send({ method }))).toEqual({
        status: 502,
        error: "provider_unreachable",
        sent: "maybe",
        proxy: "connection_terminated",
      });
      expect(forwarding.api.seen).toHaveLength(1);
    },
  );
});
