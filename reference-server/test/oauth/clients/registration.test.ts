import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { refusalLimits, type Refusals } from "../../../src/audit/refusals.js";
import { createTestServer, type TestServer } from "../../support/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await createTestServer();
  const at = new Date(server.clock());
  await server.context.store.appHosts.save({ host: "web.example", name: "Web", allowed: true }, at);
  await server.context.store.appHosts.save({ host: "bad.example", name: "Bad", allowed: false }, at);
});
afterAll(() => server.close());
beforeEach(async () => {
  server.clock.advance(120);
  await server.context.store.settings.save({ dynamicRegistration: true }, new Date(server.clock()));
});

const usual = {
  client_name: "Old Notes",
  redirect_uris: ["http://127.0.0.1:7777/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

async function register(body: object | string, contentType = "application/json") {
  const answer = await server.app.inject({
    method: "POST",
    url: "/api/oauth/register",
    headers: { "content-type": contentType },
    payload: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.json<Record<string, unknown>>() };
}

describe("a client that registers itself", () => {
  test("gets an id that cannot be guessed, and no secret", async () => {
    const { status, headers, body } = await register({ ...usual, scope: "everything", logo_uri: "x" });
    expect(status).toBe(201);
    expect(headers["cache-control"]).toBe("no-store");
    const { client_id: id, ...rest } = body;
    expect(id).toMatch(/^dynamic-[0-9a-f]{32}$/);
    expect(rest).toEqual({
      ...usual,
      client_id_issued_at: server.clock() / 1000,
      dpop_bound_access_tokens: false,
    });
    expect(await server.context.store.clients.find(String(id))).toMatchObject({
      name: "Old Notes",
      type: "public",
      source: "dynamic_registration",
      redirectUris: usual.redirect_uris,
      grantTypes: ["authorization_code", "refresh_token"],
      trusted: true,
    });
    const events = await server.database.query<{ type: string; data: unknown }>(
      "SELECT type, data FROM audit_events WHERE client_id = $1",
      [String(id)],
    );
    expect(events).toEqual([
      {
        type: "client.registered",
        data: { source: "dynamic_registration", name: "Old Notes", redirectUris: usual.redirect_uris },
      },
    ]);
  });

  test("gets the grants that it is told of, and no other", async () => {
    const deviceCode = "urn:ietf:params:oauth:grant-type:device_code";
    const { body } = await register({ ...usual, grant_types: ["authorization_code", deviceCode] });
    expect(body["grant_types"]).toEqual(["authorization_code"]);
    const answer = await server.app.inject({
      method: "POST",
      url: "/api/oauth/device_authorization",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      payload: new URLSearchParams({ client_id: String(body["client_id"]) }).toString(),
    });
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { error: "unauthorized_client" }]);
  });

  test("can begin, on another port as well", async () => {
    const { body } = await register(usual);
    const query = new URLSearchParams({
      client_id: String(body["client_id"]),
      response_type: "code",
      redirect_uri: "http://127.0.0.1:8888/callback",
      code_challenge: "A".repeat(43),
      code_challenge_method: "S256",
    });
    const answer = await server.app.inject(`/api/oauth/authorize?${query.toString()}`);
    expect(answer.statusCode).toBe(303);
  });

  test("is possible only while it is switched on, and its clients are unknown afterwards", async () => {
    const { body } = await register(usual);
    const id = String(body["client_id"]);
    const { store } = server.context;
    const at = new Date(server.clock());
    await store.settings.save({ dynamicRegistration: false }, at);
    await store.clients.judgeTrust(at);
    expect((await register(usual)).status).toBe(404);
    expect((await register("{")).status).toBe(404);
    const authorize = `/api/oauth/authorize?client_id=${id}&redirect_uri=http://127.0.0.1:7777/callback`;
    expect((await server.app.inject(authorize)).statusCode).toBe(400);
  });
});

describe("one change of a good registration", () => {
  test.each<[name: string, error: string | undefined, change: Record<string, unknown>]>([
    ["none", undefined, {}],
    ["no name", undefined, { client_name: undefined }],
    ["script in the name", "invalid_client_metadata", { client_name: "<b>Notes" }],
    ["a long name", "invalid_client_metadata", { client_name: "n".repeat(101) }],
    ["a name that turns around", "invalid_client_metadata", { client_name: "\u202Egnp" }],
    ["no word about authentication", undefined, { token_endpoint_auth_method: undefined }],
    ["a secret", "invalid_client_metadata", { token_endpoint_auth_method: "client_secret_post" }],
    ["keys", "invalid_client_metadata", { token_endpoint_auth_method: "private_key_jwt" }],
    ["no word about flows", undefined, { grant_types: undefined, response_types: undefined }],
    ["only itself", "invalid_client_metadata", { grant_types: ["client_credentials"] }],
    [
      "only device codes",
      "invalid_client_metadata",
      { grant_types: ["urn:ietf:params:oauth:grant-type:device_code"] },
    ],
    ["the implicit flow", "invalid_client_metadata", { response_types: ["token"] }],
    ["no redirect", "invalid_redirect_uri", { redirect_uris: undefined }],
    ["an empty list", "invalid_redirect_uri", { redirect_uris: [] }],
    ["localhost", undefined, { redirect_uris: ["http://localhost/callback"] }],
    ["IPv6", undefined, { redirect_uris: ["http://[::1]:3000/callback"] }],
    ["an allowed host", undefined, { redirect_uris: ["https://web.example/callback"] }],
    [
      "a host that is not allowed",
      "invalid_redirect_uri",
      { redirect_uris: ["https://other.example/callback"] },
    ],
    ["a host that was refused", "invalid_redirect_uri", { redirect_uris: ["https://bad.example/callback"] }],
    [
      "one good and one bad",
      "invalid_redirect_uri",
      { redirect_uris: ["http://localhost/callback", "https://other.example/cb"] },
    ],
    [
      "an allowed host, spelled otherwise",
      "invalid_redirect_uri",
      { redirect_uris: ["https://WEB.example/callback"] },
    ],
    [
      "another host without slashes",
      "invalid_redirect_uri",
      { redirect_uris: ["https:other.example/callback"] },
    ],
    [
      "another host after one slash",
      "invalid_redirect_uri",
      { redirect_uris: ["https:/other.example/callback"] },
    ],
    [
      "this computer, spelled otherwise",
      "invalid_redirect_uri",
      { redirect_uris: ["http://127.1/callback"] },
    ],
    [
      "an allowed host, at another port",
      "invalid_redirect_uri",
      { redirect_uris: ["https://web.example:8443/callback"] },
    ],
    [
      "an allowed host before another",
      "invalid_redirect_uri",
      { redirect_uris: [String.raw`https://web.example\@evil.example/cb`] },
    ],
    [
      "an allowed host as a user",
      "invalid_redirect_uri",
      { redirect_uris: ["https://web.example@evil.example/cb"] },
    ],
    ["plain http elsewhere", "invalid_redirect_uri", { redirect_uris: ["http://web.example/callback"] }],
    ["a scheme of its own", "invalid_redirect_uri", { redirect_uris: ["com.example.notes:/callback"] }],
    ["a script", "invalid_redirect_uri", { redirect_uris: ["javascript:alert(1)"] }],
    ["a fragment", "invalid_redirect_uri", { redirect_uris: ["http://127.0.0.1/callback#x"] }],
  ])("%s: %s", async (_name, error, change) => {
    const { status, body } = await register({ ...usual, ...change });
    expect([status, body["error"]]).toEqual([error === undefined ? 201 : 400, error]);
  });

  test.each([
    ["no JSON", "{", "application/json"],
    ["a list", "[]", "application/json"],
    ["a member twice", `{"client_name":"a","client_name":"b"}`, "application/json"],
    ["nothing", "", "application/json"],
    ["a form", "client_name=a", "application/x-www-form-urlencoded"],
  ])("%s is no metadata", async (_name, body, contentType) => {
    const answer = await register(body, contentType);
    expect([answer.status, answer.body["error"]]).toEqual([400, "invalid_client_metadata"]);
  });

  test("more than 5 KiB are too large", async () => {
    expect((await register({ ...usual, padding: "x".repeat(5 * 1024) })).status).toBe(413);
  });
});

test("registrations are limited to thirty a minute per address", async () => {
  const statuses: number[] = [];
  for (let index = 0; index < 31; index += 1) statuses.push((await register(usual)).status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(30);
  expect(statuses.at(-1)).toBe(429);
});

describe("strangers cannot fill the table", () => {
  const registrations = "SELECT 'dynamic-' || n FROM generate_series(1, 10000) n";
  beforeAll(async () => {
    await server.database.query("DELETE FROM clients WHERE source = 'dynamic_registration'");
    await server.database.query(`
      INSERT INTO clients (id, name, redirect_uris, source, created_at)
      SELECT s.id, 'App', '{}', 'dynamic_registration', now() - interval '1 year' FROM (${registrations}) AS s (id)`);
  });

  test("the oldest makes room, also while requests of all are open", async () => {
    await server.database.query(`
      INSERT INTO authorization_requests (id, browser_hash, client_id, redirect_uri, code_challenge, scopes, prompts,
        created_at, expires_at)
      SELECT gen_random_uuid(), '', s.id, 'http://127.0.0.1/cb', '', '{}', '{}', now(), now() + interval '1 hour'
      FROM (${registrations}) AS s (id)`);
    const { status, body } = await register(usual);
    expect(status).toBe(201);
    await server.database.query("DELETE FROM clients WHERE id = $1", [String(body["client_id"])]);
  });

  test("and while people are signed in with all of them, the next one waits", async () => {
    const [user] = await server.database.query<{ id: string }>(
      "INSERT INTO users (id, email) VALUES (gen_random_uuid(), 'eve@acme.example') RETURNING id",
    );
    await server.database.query(
      `INSERT INTO clients (id, name, redirect_uris, source)
       SELECT s.id, 'App', '{}', 'dynamic_registration' FROM (${registrations}) AS s (id) ON CONFLICT DO NOTHING`,
    );
    await server.database.query(
      `INSERT INTO grants (id, user_id, client_id, scopes, amr, created_at, expires_at)
       SELECT gen_random_uuid(), $1, s.id, '{}', '{}', now(), now() + interval '1 day'
       FROM (${registrations}) AS s (id) JOIN clients c ON c.id = s.id`,
      [user?.id],
    );
    const { status, headers, body } = await register(usual);
    expect([status, headers["retry-after"], body["error"]]).toEqual([503, "60", "temporarily_unavailable"]);
    await server.database.query("DELETE FROM clients WHERE source = 'dynamic_registration'");
  });
});

test("registrations of one address beyond the limit of an hour are counted, not recorded one by one", async () => {
  const refusals = server.context.refusals as Refusals;
  server.clock.advance(3600);
  const begin = new Date(server.clock());
  for (let index = 0; index < refusalLimits.address - 1; index += 1)
    await refusals.from("127.0.0.1").admit({
      type: "client_document.refused",
      outcome: "denied",
      actor: { type: "system" },
      at: begin,
      data: { host: "apps.example", reason: "document_type" },
    });
  for (let index = 0; index < 3; index += 1) expect((await register(usual)).status).toBe(201);
  await refusals.run();
  server.clock.advance(3600 + 180);
  await refusals.run();
  const events = await server.database.query<{ type: string; data: unknown }>(
    "SELECT type, data FROM audit_events WHERE at >= $1 AND type IN ('client.registered', 'events.counted') ORDER BY id",
    [begin],
  );
  expect(events).toMatchObject([
    { type: "client.registered" },
    { type: "events.counted", data: { event: "client.registered", count: 2, address: "127.0.0.1" } },
  ]);
});
