import { afterEach, expect, test } from "vitest";
import { createAdminServer } from "../../support/admin.js";
import { createTestServer, type TestServer } from "../../support/server.js";

let server: TestServer;
afterEach(() => server.close());

function ask(change: Readonly<Record<string, unknown>> = {}) {
  return server.app.inject({ method: "POST", url: "/api/oauth/token", ...change });
}

test("too many token requests from one address are answered with 429 and Retry-After", async () => {
  server = await createTestServer({ AUTHZ_RATE_LIMITS: "token.address=2" });
  expect((await ask()).statusCode).toBe(400);
  expect((await ask()).statusCode).toBe(400);

  const refused = await ask();

  expect(refused.statusCode).toBe(429);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  expect(refused.headers["cache-control"]).toBe("no-store");
  expect(refused.json()).toEqual({
    error: "temporarily_unavailable",
    error_description: expect.stringMatching(
      /^There were too many requests from here\. Try again in \d+ seconds\.$/,
    ),
  });
  expect((await ask({ remoteAddress: "203.0.113.7" })).statusCode).toBe(400);
});

test("too many sign-ins get a page", async () => {
  server = await createTestServer({ AUTHZ_RATE_LIMITS: "sign-in.address=1" });
  const open = () => server.app.inject({ url: "/sign-in?request=x", headers: { accept: "text/html" } });
  expect((await open()).statusCode).toBe(303);
  const refused = await open();
  expect(refused.statusCode).toBe(429);
  expect(refused.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(refused.body).toContain("too many requests");
});

test("too many requests to the administration API from one session are answered with 429", async () => {
  const admin = await createAdminServer({ AUTHZ_RATE_LIMITS: "admin.caller=2" });
  server = admin;
  const grace = await admin.signIn("Grace", ["authz:administer"]);
  expect((await admin.request("GET", "/session")).status).toBe(200);
  expect((await admin.request("GET", "/settings")).status).toBe(200);
  const refused = await admin.request("GET", "/session");
  expect(refused).toMatchObject({ status: 429, body: { error: "temporarily_unavailable" } });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  expect((await admin.request("GET", "/session", { as: grace })).status).toBe(200);
});

test("the address behind a trusted proxy counts, not the proxy", async () => {
  server = await createTestServer({
    AUTHZ_RATE_LIMITS: "token.address=1",
    AUTHZ_TRUSTED_PROXIES: "127.0.0.0/8",
  });
  const from = (address: string) => ask({ headers: { "x-forwarded-for": address } });
  expect((await from("203.0.113.1")).statusCode).toBe(400);
  expect((await from("203.0.113.2")).statusCode).toBe(400);
  expect((await from("203.0.113.1")).statusCode).toBe(429);
});

test("the discovery documents, the key set and unknown paths are not limited", async () => {
  server = await createTestServer({ AUTHZ_RATE_LIMITS: "token.address=1,sign-in.address=1" });
  for (const url of ["/.well-known/openid-configuration", "/api/oauth/jwks", "/nowhere"]) {
    const statuses = [
      await server.app.inject(url),
      await server.app.inject(url),
      await server.app.inject(url),
    ];
    expect(statuses.map(({ statusCode }) => statusCode)).not.toContain(429);
  }
});
