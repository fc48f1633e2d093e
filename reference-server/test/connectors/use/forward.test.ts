import { once } from "node:events";
import { type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { brotliCompressSync, createBrotliCompress, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Forwarding, startForwarding } from "./forwarding.js";

let forwarding: Forwarding;

beforeAll(async () => {
  forwarding = await startForwarding();
});
afterAll(() => forwarding.close());
beforeEach(() => {
  const { api } = forwarding;
  api.seen.length = 0;
  api.streams = undefined;
  api.answer = (_request, response) => void response.end("ok");
});

const answerWith = (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  forwarding.api.answer = answer;
};

/** The audit event of the last use, once it is stored. */
async function lastUse(requests: number): Promise<Record<string, unknown>> {
  await expect.poll(async () => (await forwarding.system.audit("connection.used")).length).toBe(requests);
  return (await forwarding.system.audit("connection.used")).at(-1) as unknown as Record<string, unknown>;
}

const usesSoFar = async () => (await forwarding.system.audit("connection.used")).length;

describe("a request reaches the third party", () => {
  test("with its method, query, headers and body, and with the person's token", async () => {
    const uses = await usesSoFar();
    const answer = await forwarding.send({
      method: "POST",
      target: "/v1/notes/7?q=a%20b&q=c",
      headers: {
        "content-type": "application/json",
        "x-two": ["a", "b"],
        cookie: "a=b",
        "x-forwarded-for": "1.2.3.4",
        connection: "keep-alive, x-hop",
        "x-hop": "1",
      },
      body: '{"a":1}',
    });

    expect(answer).toMatchObject({ status: 200, body: "ok" });
    expect(answer.headers["proxy-status"]).toBe("authz; received-status=200");
    const { api, token } = forwarding;
    const [seen, ...others] = api.seen;
    expect(others).toEqual([]);
    expect(seen).toMatchObject({ method: "POST", url: "/v1/notes/7?q=a%20b&q=c", bytes: 7, complete: true });
    expect(pairs(seen?.rawHeaders ?? [])).toEqual([
      ["accept-encoding", "identity"],
      ["authorization", `Bearer ${token}`],
      ["connection", "keep-alive"],
      ["content-length", "7"],
      ["content-type", "application/json"],
      ["host", new URL(api.origin).host],
      ["user-agent", "authz-server"],
      ["x-two", "a"],
      ["x-two", "b"],
    ]);
    expect(await lastUse(uses + 1)).toMatchObject({
      outcome: "success",
      subject: forwarding.userId,
      data: {
        connector: "notes",
        method: "POST",
        host: new URL(api.origin).host,
        pathTemplate: "/v1/notes/{note}",
        status: 200,
        durationMs: expect.any(Number) as number,
        requestBytes: 7,
        responseBytes: 2,
      },
    });
  });

  test.each(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])("with %s and no body", async (method) => {
    const { status, body } = await forwarding.send({ method });
    expect({ status, body }).toEqual({ status: 200, body: method === "HEAD" ? "" : "ok" });
    expect(forwarding.api.seen).toMatchObject([{ method, bytes: 0, complete: true }]);
  });

  test.each(["application/json", "text/plain", "multipart/form-data; boundary=x", undefined])(
    "with a body of the type %s as it is",
    async (type) => {
      const headers = type === undefined ? {} : { "content-type": type };
      await forwarding.send({ method: "POST", headers, body: "{not parsed" });
      expect(forwarding.api.seen).toMatchObject([{ bytes: 11 }]);
      expect(forwarding.api.seen[0]?.headers["content-type"]).toBe(type);
    },
  );

  test("in the canonical spelling of its address", async () => {
    await forwarding.send({ target: `${forwarding.api.origin.replace("http", "HTTP")}/v1/a{b}?x=<y>` });
    expect(forwarding.api.seen[0]?.url).toBe("/v1/a%7Bb%7D?x=%3Cy%3E");
  });
});

test("a client that asks before it sends its body is told to, and only when the third party gets it", async () => {
  const send = async (target: string) => {
    const events: string[] = [];
    const url = `${forwarding.system.issuer}/api/me/connections/notes/requests`;
    const headers = {
      ...forwarding.credentials("POST", "notes"),
      "authz-target": target,
      "content-length": "4",
      expect: "100-continue",
    };
    const request = httpRequest(url, { method: "POST", agent: false, headers });
    request.once("continue", () => {
      events.push("continue");
      request.end("body");
    });
    request.flushHeaders();
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    events.push(String(answer.statusCode));
    answer.resume();
    await once(answer, "end");
    request.destroy();
    return events;
  };
  const { api } = forwarding;
  expect(await send(`${api.origin}/v1/a`)).toEqual(["continue", "200"]);
  expect(api.seen).toMatchObject([{ bytes: 4, complete: true }]);
  expect(api.seen[0]?.headers.expect).toBeUndefined();
  expect(await send(`${api.origin}/v2/a`)).toEqual(["403"]);
  expect(api.seen).toHaveLength(1);
});

describe("an answer comes back", () => {
  test("with status, headers and body, without what is about this server", async () => {
    answerWith((_request, response) => {
      response.writeHead(
        201,
        [
          ["Content-Type", "application/json"],
          ["Link", "<a>"],
          ["Link", "<b>"],
          ["Set-Cookie", "a=b"],
          ["WWW-Authenticate", "Bearer"],
          ["DPoP-Nonce", "theirs"],
          ["Cache-Control", "public, max-age=1000"],
          ["Access-Control-Allow-Origin", "*"],
          ["Proxy-Status", "other; received-status=500"],
          ["ETag", '"1"'],
        ].flat(),
      );
      response.end("{}");
    });
    const { status, headers, rawHeaders, body } = await forwarding.send();
    expect({ status, body }).toEqual({ status: 201, body: "{}" });
    expect(headers).toMatchObject({
      "content-type": "application/json",
      etag: '"1"',
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "proxy-status": "authz; received-status=201",
    });
    expect(pairs(rawHeaders).filter(([name]) => name === "link")).toEqual([
      ["link", "<a>"],
      ["link", "<b>"],
    ]);
    for (const name of ["set-cookie", "www-authenticate", "dpop-nonce", "access-control-allow-origin"]) {
      expect(headers[name]).toBeUndefined();
    }
  });

  test.each([301, 302, 303, 307, 308])(
    "also when it is a redirect (%d): nobody follows it",
    async (status) => {
      answerWith((_request, response) => {
        response.writeHead(status, { location: `${forwarding.api.origin}/v1/elsewhere` }).end();
      });
      const answer = await forwarding.send();
      expect(answer.status).toBe(status);
      expect(answer.headers["location"]).toBe(`${forwarding.api.origin}/v1/elsewhere`);
      expect(forwarding.api.seen).toHaveLength(1);
    },
  );

  test.each([204, 205, 304])("as %d without a body", async (status) => {
    answerWith((_request, response) => void response.writeHead(status, { etag: '"1"' }).end());
    const { headers, ...answer } = await forwarding.send();
    expect(answer).toMatchObject({ status, body: "" });
    expect(headers["etag"]).toBe('"1"');
  });

  test("as 205 without the body that it must not have, and nobody reads it", async () => {
    const closed = new Promise<string>((resolve) => {
      answerWith((_request, response) => {
        response.writeHead(205).once("close", () => resolve("closed"));
        void pipeline(Readable.from(endless()), response).catch(() => undefined);
      });
    });
    expect(await forwarding.send()).toMatchObject({ status: 205, body: "" });
    expect(await closed).toBe("closed");
  });

  test("as 204 without a length, which it cannot have", async () => {
    answerWith((_request, response) => void response.writeHead(204, { "content-length": 5 }).end());
    const { status, headers } = await forwarding.send();
    expect({ status, length: headers["content-length"] }).toEqual({ status: 204, length: undefined });
  });

  test("to HEAD with the length that GET would have", async () => {
    answerWith((_request, response) => void response.writeHead(200, { "content-length": "12345" }).end());
    const { status, headers, body } = await forwarding.send({ method: "HEAD" });
    expect({ status, body, length: headers["content-length"] }).toEqual({
      status: 200,
      body: "",
      length: "12345",
    });
  });

  test.each([400, 403, 404, 409, 429, 500, 503])(
    "as %d of the third party, which is final",
    async (status) => {
      answerWith((_request, response) => {
        response.writeHead(status, { "retry-after": "9" }).end('{"error":"rate_limited"}');
      });
      const answer = await forwarding.send();
      expect(answer).toMatchObject({ status, body: '{"error":"rate_limited"}' });
      expect(answer.headers).toMatchObject({
        "proxy-status": `authz; received-status=${status}`,
        "retry-after": "9",
      });
      expect(forwarding.api.seen).toHaveLength(1);
    },
  );

  test("after hints that came before it (103)", async () => {
    answerWith((_request, response) => {
      response.writeEarlyHints({ link: "</a.css>; rel=preload" });
      response.end("final");
    });
    expect(await forwarding.send()).toMatchObject({ status: 200, body: "final" });
  });

  test("without its trailers", async () => {
    answerWith((_request, response) => {
      response.writeHead(200, { trailer: "x-sum" });
      response.write("ok");
      response.addTrailers({ "x-sum": "1" });
      response.end();
    });
    const { body, headers } = await forwarding.open();
    body.resume();
    await once(body, "end");
    expect(headers["trailer"]).toBeUndefined();
    expect(body.trailers).toEqual({});
  });
});

describe("bodies stream", () => {
  test("up: the third party has a piece before the next one is there", async () => {
    const body = new PassThrough();
    const pieces: string[] = [];
    let next: (() => void) | undefined;
    forwarding.api.streams = (request, response) => {
      request.setEncoding("utf8").on("data", (piece: string) => {
        pieces.push(piece);
        next?.();
      });
      request.once("end", () => response.end("done"));
    };
    const answer = forwarding.send({ method: "POST", body });
    for (const piece of ["one", "two", "three"]) {
      const received = new Promise<void>((resolve) => {
        next = resolve;
      });
      body.write(piece);
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      await received;
    }
    body.end();
    expect(await answer).toMatchObject({ status: 200, body: "done" });
    expect(pieces).toEqual(["one", "two", "three"]);
  });

  test("down: the caller has the status and each piece before the next one is there", async () => {
    let response: ServerResponse | undefined;
    answerWith((_request, answer) => {
      response = answer;
      answer.writeHead(200, { "content-type": "text/plain" });
      answer.flushHeaders();
    });
    const { status, body } = await forwarding.open();
    expect(status).toBe(200);
    for (const piece of ["one", "two", "three"]) {
      response?.write(piece);
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
      const [received] = (await once(body, "data")) as [Buffer];
      expect(String(received)).toBe(piece);
    }
    response?.end();
    await once(body, "end");
  });

  test("both ways at the same time", async () => {
    const body = new PassThrough();
    forwarding.api.streams = (request, response) => void request.pipe(response);
    const opening = forwarding.open({ method: "POST", body });
    body.write("ping");
    const answer = await opening;
    const [first] = (await once(answer.body, "data")) as [Buffer];
    body.end("pong");
    const [second] = (await once(answer.body, "data")) as [Buffer];
    expect([String(first), String(second)]).toEqual(["ping", "pong"]);
  });

  test("with back-pressure: a caller that does not read stops the third party", async () => {
    const total = 48 * 1024 * 1024;
    let written = 0;
    answerWith((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const fill = () => {
        while (written < total) {
          written += chunk.length;
          if (!response.write(chunk)) break;
        }
        if (written < total) response.once("drain", fill);
        else response.end();
      };
      fill();
    });
    const { connector } = await forwarding.connect({
      limits: { ...forwarding.connector.limits, responseBytes: total },
    });
    const { body } = await forwarding.open({ key: connector.key });
    let before = -1;
    await expect
      .poll(
        () => {
          const still = written === before;
          before = written;
          return still;
        },
        { interval: 100 },
      )
      .toBe(true);
    // What is between the two ends are buffers of sockets and streams.
    expect(written).toBeLessThan(total / 2);
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) bytes += chunk.length;
    expect(bytes).toBe(total);
  });
});

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

  test("and an encoding that nobody can look into is not handed on", async () => {
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

function* endless(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(16 * 1024);
}

/** Names in lower case, sorted; without the date. */
function pairs(rawHeaders: readonly string[]): [string, string][] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, index): [string, string] => [
    (rawHeaders[index * 2] ?? "").toLowerCase(),
    rawHeaders[index * 2 + 1] ?? "",
  ])
    .filter(([name]) => name !== "date")
    .toSorted(([a], [b]) => a.localeCompare(b));
}
