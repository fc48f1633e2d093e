import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { ReplayStoreUnavailableError } from "@authz/dpop";
import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, test } from "vitest";
import { createHttpApp } from "../../../src/platform/http/app.js";
import { createBodyLimits } from "../../../src/platform/http/arriving-bodies.js";
import { createLog } from "../../../src/platform/http/log.js";
import { rawHeaderValues } from "../../../src/platform/http/raw-headers.js";
import { setPageHeaders } from "../../../src/platform/http/security-headers.js";
import { DatabaseUnavailableError } from "../../../src/store/database-unavailable-error.js";

const apps: FastifyInstance[] = [];
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

function createApp(issuer = "https://auth.acme.example") {
  const lines: string[] = [];
  const app = createHttpApp({ issuer, log: createLog("info", { write: (line) => lines.push(line) }) });
  apps.push(app);
  app.get("/api/ok", async () => ({ ok: true }));
  app.get("/api/failure", async () => {
    throw new Error("secret detail");
  });
  app.get("/api/database", async () => {
    throw new DatabaseUnavailableError("away");
  });
  app.get("/api/replays", async () => {
    throw new ReplayStoreUnavailableError("away");
  });
  app.get("/page", async (_request, reply) =>
    setPageHeaders(reply, { formAction: ["https://idp.example"] }).send("<p>"),
  );
  app.post("/api/echo", async (request) => ({ dpop: rawHeaderValues(request, "DPoP") }));
  return { app, lines };
}

describe("every answer", () => {
  test.each(["/api/ok", "/api/failure", "/nothing"])("carries the security headers: %s", async (url) => {
    const { headers } = await createApp().app.inject(url);
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "referrer-policy": "same-origin",
      "strict-transport-security": "max-age=31536000; includeSubDomains",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    });
  });

  test("on loopback development has no HSTS, which would stick to the host", async () => {
    const { headers } = await createApp("http://127.0.0.1:3000").app.inject("/api/ok");
    expect(headers["strict-transport-security"]).toBeUndefined();
  });

  test("that is a page allows its own styles, no script, and the named form targets", async () => {
    const { headers } = await createApp().app.inject("/page");
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    const policy = headers["content-security-policy"];
    expect(policy).toContain("form-action 'self' https://idp.example;");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(policy).not.toContain("script-src");
  });
});

describe("an error answer", () => {
  test.each([
    { name: "an unknown path", url: "/api/nothing", status: 404, error: "not_found" },
    { name: "a failure", url: "/api/failure", status: 500, error: "server_error" },
    { name: "a database that is away", url: "/api/database", status: 503, error: "temporarily_unavailable" },
    {
      name: "replays that cannot be looked up",
      url: "/api/replays",
      status: 503,
      error: "temporarily_unavailable",
    },
    { name: "a path that cannot be decoded", url: "/api/%E0%A4%A", status: 400, error: "invalid_request" },
  ])("for $name is JSON", async ({ url, status, error }) => {
    const response = await createApp().app.inject(url);
    expect(response.statusCode).toBe(status);
    expect(response.json()).toEqual({ error, error_description: expect.any(String) as string });
  });

  test("never shows the cause; the log has it with the request's id", async () => {
    const { app, lines } = createApp();
    const response = await app.inject("/api/failure");
    expect(response.body).not.toContain("secret detail");
    const line = lines
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .find(({ err }) => err !== undefined);
    expect(line).toMatchObject({ err: { message: "secret detail" } });
    expect(response.json<{ error_description: string }>().error_description).toContain(String(line?.reqId));
  });

  test("of 503 says when to come back", async () => {
    expect((await createApp().app.inject("/api/database")).headers["retry-after"]).toBe("1");
  });

  test("is a page for a browser, except below /api", async () => {
    const { app } = createApp();
    const accept = "text/html,application/xhtml+xml,application/json;q=0.9";
    const page = await app.inject({ url: "/nothing", headers: { accept } });
    expect(page.statusCode).toBe(404);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    const api = await app.inject({ url: "/api/nothing", headers: { accept } });
    expect(api.headers["content-type"]).toBe("application/json; charset=utf-8");
  });

  test.each([
    {
      name: "too large",
      headers: { "content-type": "application/json" },
      body: `"${"x".repeat(70_000)}"`,
      status: 413,
    },
    { name: "of an unknown type", headers: { "content-type": "text/csv" }, body: "a,b", status: 415 },
    { name: "not JSON", headers: { "content-type": "application/json" }, body: "{", status: 400 },
  ])("for a body that is $name has status $status", async ({ headers, body, status }) => {
    const response = await createApp().app.inject({
      method: "POST",
      url: "/api/echo",
      headers,
      payload: body,
    });
    expect(response.statusCode).toBe(status);
    expect(response.json<{ error: string }>().error).toBe("invalid_request");
  });
});

test("a repeated header stays visible, in order", async () => {
  const { app } = createApp();
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  const body = await new Promise<string>((resolve, reject) => {
    const request = httpRequest(
      { port, host: "127.0.0.1", path: "/api/echo", method: "POST" },
      (response) => {
        response.setEncoding("utf8").on("data", resolve);
      },
    );
    request.on("error", reject).setHeader("DPoP", ["one", "two"]).end();
  });
  expect(JSON.parse(body)).toEqual({ dpop: ["one", "two"] });
});

test("the log has one line per request, without the query", async () => {
  const { app, lines } = createApp();
  await app.inject("/api/ok?code=very-secret&state=also");
  const requests = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({ method: "GET", path: "/api/ok", status: 200, msg: "request" });
  expect(lines.join("")).not.toContain("very-secret");
});

test("the log redacts what must not be read", () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => lines.push(line) });
  const secret = "very-secret";
  log.info({ authorization: secret, headers: { dpop: secret, cookie: secret, "set-cookie": secret } }, "one");
  log.info({ body: { code: secret, refresh_token: secret }, provider: { clientSecret: secret } }, "two");
  expect(lines.join("")).not.toContain(secret);
  expect(lines.join("")).toContain("[redacted]");
});

test("a body that does not arrive in time ends the connection, except where slow ones are taken", async () => {
  const app = createHttpApp({
    issuer: "https://auth.acme.example",
    log: createLog("info", { write: () => undefined }),
    bodies: createBodyLimits({ seconds: 0.05 }),
  });
  apps.push(app);
  const read = async (request: { readonly body: unknown }) => ({ body: request.body });
  app.post("/api/quick", read);
  app.post("/api/slow", { config: { handsThrough: true } }, read);
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const send = (path: string) => {
    const headers = { "content-type": "application/json", "content-length": "2" };
    const request = httpRequest({ host: "127.0.0.1", port, path, method: "POST", headers, agent: false });
    request.write("{");
    return request;
  };

  const slow = send("/api/slow");
  const quick = send("/api/quick");
  const failure = await new Promise<NodeJS.ErrnoException>((resolve) => {
    quick.once("error", resolve);
  });
  expect(failure.code).toBe("ECONNRESET");

  const status = new Promise((resolve) => {
    slow.once("response", (response) => resolve(response.statusCode));
  });
  slow.end("}");
  expect(await status).toBe(200);
});
