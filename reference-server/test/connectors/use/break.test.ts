import { once } from "node:events";
import { connect } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { recordOrphanedCalls } from "../../../src/connectors/use/record-orphaned-calls.js";
import { type ForwardedAnswer, type Forwarding, startForwarding } from "./forwarding.js";

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
beforeEach(() => {
  forwarding.api.seen.length = 0;
  forwarding.api.streams = undefined;
  forwarding.api.answer = (_request, response) => void response.end("ok");
});

async function uses(): Promise<number> {
  return (await forwarding.system.audit("connection.used")).length;
}

/** The event of the last use, once there are that many. */
async function use(number: number) {
  await expect.poll(uses).toBe(number);
  const { outcome, data } = (await forwarding.system.audit("connection.used")).at(-1) ?? {};
  return { outcome, data };
}

async function refusal({ status, headers, body }: Awaited<ReturnType<Forwarding["send"]>>) {
  const { error, sent } = JSON.parse(body) as { error: string; sent: string };
  return { status, error, sent, proxy: headers["proxy-status"]?.toString().replace("authz; error=", "") };
}

/** What came of a body, and whether it ended as it should. */
async function read({ body }: ForwardedAnswer): Promise<{ bytes: number; complete: boolean }> {
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) bytes += chunk.length;
    return { bytes, complete: body.complete };
  } catch {
    return { bytes, complete: false };
  }
}

function pieces(bytes: number): Readable {
  return Readable.from(
    (function* () {
      for (let left = bytes; left > 0; left -= 10_000) yield Buffer.alloc(Math.min(left, 10_000), "a");
    })(),
  );
}

describe("a body", () => {
  test("of exactly the limit goes up, with a length and in chunks", async () => {
    expect(await forwarding.send({ method: "POST", body: Buffer.alloc(100_000) })).toMatchObject({
      status: 200,
    });
    expect(await forwarding.send({ method: "POST", body: pieces(100_000) })).toMatchObject({ status: 200 });
    expect(forwarding.api.seen.map(({ bytes }) => bytes)).toEqual([100_000, 100_000]);
  });

  test("of one byte more does not, and the third party sees that it is not complete", async () => {
    const before = await uses();
    const answer = await forwarding.send({ method: "POST", body: pieces(100_001) });
    expect(await refusal(answer)).toEqual({
      status: 413,
      error: "request_too_large",
      sent: "maybe",
      proxy: "http_request_error",
    });
    expect(forwarding.api.seen.filter(({ complete }) => complete)).toEqual([]);
    expect(await use(before + 1)).toMatchObject({ outcome: "failed", data: { status: null } });
  });

  test("without an end does not stand in memory", async () => {
    const answer = await forwarding.send({ method: "POST", body: pieces(Number.POSITIVE_INFINITY) });
    expect(answer.status).toBe(413);
    // It can be too much before the first byte of it is there.
    expect(forwarding.api.seen[0]?.bytes ?? 0).toBeLessThanOrEqual(100_000);
  });

  test("that breaks off looks broken to the third party as well", async () => {
    const before = await uses();
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
    expect(await use(before + 1)).toMatchObject({
      outcome: "failed",
      data: { status: null, requestBytes: 13 },
    });
  });

  test("that nobody wants to the end does not keep the answer from the caller", async () => {
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
    const before = await uses();
    forwarding.api.answer = (_request, response) => {
      response.writeHead(200, { "content-length": 100_001 }).flushHeaders();
    };
    expect(await refusal(await forwarding.send())).toEqual({
      status: 502,
      error: "response_too_large",
      sent: "maybe",
      proxy: "http_response_body_size",
    });
    expect(await use(before + 1)).toMatchObject({
      outcome: "success",
      data: { status: 200, responseBytes: 0 },
    });
  });

  test.each([
    ["one byte longer", () => pieces(100_001)],
    ["endless", () => pieces(Number.POSITIVE_INFINITY)],
  ])("that is %s breaks, and never looks complete", async (_name, body) => {
    const before = await uses();
    let ended: Promise<unknown> = Promise.resolve();
    forwarding.api.answer = (_request, response) => {
      ended = once(response, "close");
      body().pipe(response);
    };
    const { bytes, complete } = await read(await forwarding.open());
    expect(complete).toBe(false);
    expect(bytes).toBeLessThanOrEqual(100_000);
    await ended;
    const { data } = await use(before + 1);
    expect(data).toMatchObject({ status: 200 });
    expect(data?.["responseBytes"]).toBeLessThanOrEqual(100_000);
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
    expect(await refusal(answer)).toEqual({
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
    const before = await uses();
    forwarding.api.answer = ({ socket }) => answer(socket);
    const refused = await refusal(await forwarding.send());
    expect(refused).toMatchObject({ status: 502, sent: "maybe", proxy });
    expect(forwarding.api.seen).toHaveLength(1);
    expect((await use(before + 1)).data?.["status"] ?? 999).toBe(999);
  });

  test.each(["GET", "POST"])(
    "that is a reset connection is none (%s), also on a connection that was idle",
    async (method) => {
      await forwarding.send();
      forwarding.api.seen.length = 0;
      forwarding.api.answer = ({ socket }) => void socket.resetAndDestroy();
      expect(await refusal(await forwarding.send({ method }))).toEqual({
        status: 502,
        error: "provider_unreachable",
        sent: "maybe",
        proxy: "connection_terminated",
      });
      expect(forwarding.api.seen).toHaveLength(1);
    },
  );
});

test("a caller of HTTP/1.0, for whom the end of the connection is the end of the answer, sees that it broke", async () => {
  const { origin } = forwarding.api;
  const ask = async (breaks: boolean) => {
    forwarding.api.answer = (_request, response) => {
      response.write("a piece", () => (breaks ? response.destroy() : response.end()));
    };
    const { hostname, port } = new URL(forwarding.system.issuer);
    const socket = connect(Number(port), hostname);
    const lines = { ...forwarding.credentials("GET", "notes"), "authz-target": `${origin}/v1/a` };
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    socket.write(`GET /api/me/connections/notes/requests HTTP/1.0\r\n${head.join("")}\r\n`);
    try {
      return String(await buffer(socket));
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    }
  };
  expect(await ask(false)).toMatch(/\r\n\r\na piece$/);
  expect(await ask(true)).toBe("ECONNRESET");
});

test("a caller that is refused while it sends a long body gets to read why", async () => {
  const body = Buffer.alloc(5_000_000);
  const answer = await forwarding.send({ method: "POST", body });
  expect(await refusal(answer)).toMatchObject({ status: 413, error: "request_too_large", sent: "no" });
  expect(forwarding.api.seen).toEqual([]);
});

test("a caller that goes away ends the request to the third party, before the answer and in the middle of it", async () => {
  const before = await uses();
  const gone = new AbortController();
  let closed: Promise<unknown> | undefined;
  forwarding.api.answer = (_request, response) => {
    closed = once(response, "close");
  };
  const sending = forwarding.send({ signal: gone.signal });
  await expect.poll(() => closed !== undefined).toBe(true);
  gone.abort();
  await expect(sending).rejects.toThrow("aborted");
  await closed;
  expect(await use(before + 1)).toMatchObject({ outcome: "failed", data: { status: null } });

  forwarding.api.answer = (_request, response) => {
    closed = once(response, "close");
    response.write("a");
  };
  const { body } = await forwarding.open();
  await once(body, "data");
  body.destroy();
  await closed;
  expect(await use(before + 2)).toMatchObject({
    outcome: "success",
    data: { status: 200, responseBytes: 1 },
  });
});

test("a caller that does not read its answer loses its place when the time is over", async () => {
  const bytes = 20 * 1024 * 1024;
  const roomy = { ...limits, responseBytes: bytes, timeoutSeconds: 1 };
  const { connector } = await forwarding.connect({ limits: roomy });
  const before = await uses();
  forwarding.api.answer = (_request, response) => void pieces(bytes).pipe(response);
  const answer = await forwarding.open({ key: connector.key });
  await expect.poll(uses, { timeout: 5000 }).toBe(before + 1);
  expect(await read(answer)).toMatchObject({ complete: false });
});

test("calls whose process ended are recorded once, without an outcome", async () => {
  const { store } = forwarding.system.server.context;
  const own = { userId: forwarding.userId, connectorId: forwarding.connector.id };
  const connection = await store.connections.findOwn(own);
  const startedAt = new Date(Date.now() - 120_000);
  const call = {
    id: "6f1f2f0e-1f3b-4a52-9a86-5a7c0c1d2e3f",
    connectionId: connection?.id ?? "",
    connector: "notes",
    userId: forwarding.userId,
    clientId: "authz-cli",
    requestId: "r-1",
    method: "POST",
    host: "api.notes.example",
    pathTemplate: "/v1/{…}",
    startedAt,
    endsBefore: new Date(startedAt.getTime() + 90_000),
  };
  expect(await store.connectionCalls.begin(call)).toBe(true);
  const before = await uses();
  expect(await recordOrphanedCalls(store, new Date(startedAt.getTime() + 89_000))).toBe(0);
  const both = [recordOrphanedCalls(store, new Date()), recordOrphanedCalls(store, new Date())];
  expect((await Promise.all(both)).reduce((sum, count) => sum + count)).toBe(1);
  expect(await use(before + 1)).toEqual({
    outcome: "failed",
    data: {
      connector: "notes",
      connectionId: connection?.id,
      method: "POST",
      host: "api.notes.example",
      pathTemplate: "/v1/{…}",
      status: null,
      durationMs: null,
      requestBytes: null,
      responseBytes: null,
    },
  });
});

test("no query, no path, no body and no token is in the database or the log afterwards", async () => {
  const canary = "canary-5f3a";
  forwarding.api.answer = (request, response) => {
    response.writeHead(200, { "x-canary": canary }).end(`${canary} ${String(request.headers.authorization)}`);
  };
  await forwarding.send({
    method: "POST",
    target: `/v1/things/${canary}?q=${canary}`,
    headers: { "x-canary": canary, cookie: canary },
    body: canary,
  });
  await forwarding.send({ target: `https://evil.example/${canary}?q=${canary}` });
  forwarding.api.answer = ({ socket }) => void socket.destroy();
  await forwarding.send({ method: "POST", target: `/v1/${canary}`, body: canary });
  forwarding.api.answer = ({ socket }) => void socket.end(`${canary}\r\n\r\n`);
  await forwarding.send();
  forwarding.api.answer = ({ socket }) => {
    socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n${canary}`);
  };
  expect(await read(await forwarding.open())).toMatchObject({ complete: false });
  await expect
    .poll(async () => (await forwarding.system.database.query("SELECT FROM connection_calls")).length)
    .toBe(0);

  const { database, log } = forwarding.system;
  const tables = await database.query<{ name: string }>(
    "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
  );
  expect(tables.length).toBeGreaterThan(20);
  const secrets = [canary, forwarding.token, "theirs."];
  for (const { name } of tables) {
    // oxlint-disable-next-line no-await-in-loop -- one table after the other
    const rows = await database.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
    const text = rows.map(({ row }) => row).join("\n");
    for (const secret of secrets) expect(text.includes(secret), `${secret} in ${name}`).toBe(false);
  }
  const lines = JSON.stringify(log);
  // The third party's failures are no lines that ask for attention.
  expect(log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  for (const secret of secrets) expect(lines).not.toContain(secret);
});
