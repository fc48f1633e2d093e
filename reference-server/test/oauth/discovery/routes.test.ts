import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestServer, type TestServer } from "../../support/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await createTestServer();
});
afterAll(() => server.close());

const documents = [
  "/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server",
  "/api/oauth/jwks",
];

describe.each(documents)("%s", (url) => {
  test("is public, cacheable and readable from any origin", async () => {
    const response = await server.app.inject(url);
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      "access-control-allow-origin": "*",
      "cache-control": "public, max-age=300",
      "content-type": "application/json; charset=utf-8",
      "cross-origin-resource-policy": "cross-origin",
      etag: expect.stringMatching(/^"[\w-]+"$/) as string,
    });
  });

  test.each([
    { name: "the same tag", header: (etag: string) => etag, status: 304 },
    { name: "the tag as a weak one", header: (etag: string) => `W/${etag}`, status: 304 },
    { name: "the tag in a list", header: (etag: string) => `"other", ${etag}`, status: 304 },
    { name: "any tag", header: () => "*", status: 304 },
    { name: "another tag", header: () => '"other"', status: 200 },
  ])("answers $status to $name", async ({ header, status }) => {
    const { headers } = await server.app.inject(url);
    const etag = String(headers.etag);
    const response = await server.app.inject({ url, headers: { "if-none-match": header(etag) } });
    expect(response.statusCode).toBe(status);
    expect(response.headers.etag).toBe(etag);
    expect(response.body === "").toBe(status === 304);
  });
});

test("both metadata documents are the same, and start from the configured issuer", async () => {
  const [openid, oauth] = await Promise.all(documents.slice(0, 2).map((url) => server.app.inject(url)));
  const host = { host: "attacker.example", "x-forwarded-host": "attacker.example" };
  const other = await server.app.inject({ url: documents[0] ?? "", headers: host });
  expect(oauth?.body).toBe(openid?.body);
  expect(other.body).toBe(openid?.body);
  expect(openid?.json()).toMatchObject({
    issuer: "http://127.0.0.1:3000",
    jwks_uri: "http://127.0.0.1:3000/api/oauth/jwks",
  });
});

test("every endpoint in the metadata answers", async () => {
  const metadata = (await server.app.inject(documents[0] ?? "")).json<Record<string, unknown>>();
  const endpoints = Object.entries(metadata).filter(
    ([name]) => name.endsWith("_endpoint") || name.endsWith("_uri"),
  );
  for (const [name, value] of endpoints) {
    const { pathname } = new URL(String(value));
    const answers = await Promise.all(
      (["GET", "POST"] as const).map((method) => server.app.inject({ method, url: pathname })),
    );
    const statuses = answers.map(({ statusCode }) => statusCode);
    expect({ name, statuses }).not.toEqual({ name, statuses: [404, 404] });
  }
});

test("the key set has the public members of the key, and nothing else", async () => {
  const { signingKey } = server.context.config;
  const { kty, crv, x, y } = signingKey.publicJwk;
  const { keys } = (await server.app.inject("/api/oauth/jwks")).json<{ keys: unknown[] }>();
  expect(keys).toEqual([{ kty, crv, x, y, kid: signingKey.kid, alg: "ES256", use: "sig" }]);
});
