import { once } from "node:events";
import { type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Forwarding, startForwarding } from "./forwarding.js";
import { countUses, lastUse } from "./outcomes.js";

let forwarding: Forwarding;

beforeAll(async () => {
  forwarding = await startForwarding();
});
afterAll(() => forwarding.close());
beforeEach(() => forwarding.api.forget());

const answerWith = (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
  forwarding.api.answer = answer;
};

describe("a request reaches the third party", () => {
  test("with its method, query, headers and body, and with the person's token", async () => {
    const uses = await countUses(forwarding);
    const answer = await forwarding.send({
      method: "POST",
      target: "/v1/notes/7?q=a%20b&q=c",
      headers: {
        "content-type": "application/json",
        "x-two": ["a", "b"],
        cookie: "a=b",
        "x-forwarded-for": "1.2.3.4",
        "x-user": "bruno",
        connection: "keep-alive, x-hop",
        "x-hop": "1",
      },
      body: '{"a":1}',
    });

    expect(answer).toMatchObject({ status: 200, body: "ok" });
    expect(answer.headers["proxy-status"]).toBe("authz; received-status=200");
    expect(answer.headers["authz-left-out"]).toBe("x-user, x-hop");
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
    expect(await lastUse(forwarding, uses + 1)).toMatchObject({
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
    "also when it is a redirect (%d), which is not followed",
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

  test("as 205 without its illegal body, which is not read", async () => {
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
