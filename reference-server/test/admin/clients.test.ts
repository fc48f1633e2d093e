import { generateEs256KeyPair } from "@authz/dpop";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordAudit } from "../../src/audit/record.js";
import { type Client, registeredClient } from "../../src/store/clients.js";
import { type AdminServer, createAdminServer } from "../support/admin.js";
import { sealAndIndex } from "../support/audit-index.js";

let server: AdminServer;
let first: Record<string, string>;
let second: Record<string, string>;
beforeAll(async () => {
  server = await createAdminServer();
  [first, second] = await Promise.all([newKey("first"), newKey("second")]);
  const at = new Date(server.clock());
  await server.context.store.scopes.save({ key: "contracts:read", description: "Read", system: false }, at);
});
afterAll(() => server.close());

async function newKey(kid: string): Promise<Record<string, string>> {
  const { kty, crv, x, y } = (await generateEs256KeyPair()).publicJwk;
  return { kid, kty, crv, x, y };
}

const portal = () => ({
  type: "confidential",
  id: "portal",
  name: "Portal",
  redirectUris: ["https://portal.acme.example/callback"],
  keys: [first],
});
const machine = () => ({
  type: "machine",
  id: "nightly",
  name: "Nightly",
  keys: [first],
  scopes: ["contracts:read"],
});
const patch = (id: string, body: unknown, version: number) =>
  server.request("PATCH", `/clients/${id}`, { body, version });

test("the built-in client is listed, and can be neither changed nor removed", async () => {
  const { body } = await server.request("GET", "/clients?q=authz");
  expect(body["items"]).toMatchObject([{ id: "authz-cli", builtIn: true, type: "public", version: 1 }]);
  const change = await patch("authz-cli", { enabled: false }, 1);
  expect([change.status, change.body["error"]]).toEqual([409, "in_use"]);
  const removal = await server.request("DELETE", "/clients/authz-cli", { version: 1 });
  expect([removal.status, removal.body["error"]]).toEqual([409, "in_use"]);
});

test("a confidential client exchanges its key with an overlap", async () => {
  const created = await server.request("POST", "/clients", { body: portal() });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({
    id: "portal",
    keys: [first],
    dpopBound: true,
    enabled: true,
    version: 1,
  });
  const both = await patch("portal", { keys: [first, second] }, 1);
  expect(both.body).toMatchObject({ keys: [first, second], version: 2 });
  const after = await patch("portal", { keys: [second] }, 2);
  expect(after.body).toMatchObject({ keys: [second], version: 3 });
  const events = await server.audit("client.changed");
  expect(events.map(({ data }) => data)).toEqual([
    { id: "portal", fields: ["keys"] },
    { id: "portal", fields: ["keys"] },
  ]);
});

test("a machine gets scopes, loses them, and is removed", async () => {
  const created = await server.request("POST", "/clients", { body: machine() });
  expect(created.body).toMatchObject({ type: "machine", scopes: ["contracts:read"], redirectUris: [] });
  const changed = await patch("nightly", { scopes: [], enabled: false }, 1);
  expect(changed.body).toMatchObject({ scopes: [], enabled: false, keys: [first], version: 2 });
  const removed = await server.request("DELETE", "/clients/nightly", { version: 2 });
  expect(removed.status).toBe(204);
  expect((await server.request("GET", "/clients/nightly")).status).toBe(404);
  const [event] = await server.audit("client.removed");
  expect(event).toMatchObject({ actor_id: server.ada.user.id, data: { id: "nightly", type: "machine" } });
});

describe("a new client is refused", () => {
  test.each<{ name: string; change: () => Record<string, unknown>; path: string }>([
    { name: "with an id that is taken", change: () => ({ id: "authz-cli" }), path: "id" },
    { name: "with a private key", change: () => ({ keys: [{ ...first, d: "AAAA" }] }), path: "keys.0" },
    { name: "without a key", change: () => ({ keys: [] }), path: "keys" },
    {
      name: "with a redirect to localhost",
      change: () => ({ redirectUris: ["http://localhost/callback"] }),
      path: "redirectUris.0",
    },
    { name: "with a member that is not known", change: () => ({ builtIn: true }), path: "builtIn" },
    { name: "with scopes, which only machines have", change: () => ({ scopes: [] }), path: "scopes" },
  ])("$name", async ({ change, path }) => {
    const events = (await server.audit()).length;
    const body = { ...portal(), id: "refused", ...change() };
    const answer = await server.request("POST", "/clients", { body });
    expect([400, 409]).toContain(answer.status);
    expect(answer.body).toMatchObject({ fields: [{ path }] });
    expect(await server.audit()).toHaveLength(events);
  });

  test("when it is a machine with a scope that nobody knows", async () => {
    const body = { ...machine(), id: "refused", scopes: ["contracts:red"] };
    const answer = await server.request("POST", "/clients", { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      fields: [{ path: "scopes", message: '"contracts:red" is not a known scope' }],
    });
  });
});

test("a change is judged together with what stays", async () => {
  await server.request("POST", "/clients", { body: { ...portal(), id: "judged" } });
  const { status, body } = await patch("judged", { keys: [] }, 1);
  expect(status).toBe(400);
  expect(body).toMatchObject({ fields: [{ path: "keys" }] });
  const scopes = await patch("judged", { scopes: ["contracts:read"] }, 1);
  expect(scopes.body).toMatchObject({
    fields: [{ path: "scopes", message: "does not apply to a confidential client" }],
  });
});

test("of two changes of the same version one is refused, with the client as it is", async () => {
  await server.request("POST", "/clients", { body: { ...portal(), id: "raced" } });
  const answers = await Promise.all([
    patch("raced", { name: "One" }, 1),
    patch("raced", { name: "Other" }, 1),
  ]);
  const won = answers.find(({ status }) => status === 200);
  const lost = answers.find(({ status }) => status === 412);
  expect(lost?.body).toMatchObject({
    error: "version_conflict",
    current: { id: "raced", name: won?.body["name"], version: 2 },
  });
});

test("a client that people are logged in with is not removed", async () => {
  await server.request("POST", "/clients", { body: { ...portal(), id: "used" } });
  await server.database.query(
    `INSERT INTO grants (id, user_id, client_id, scopes, auth_time, amr, created_at, expires_at)
    VALUES (gen_random_uuid(), $1, 'used', '{}', $2, '{}', $2, $3)`,
    [server.ada.user.id, new Date(server.clock()), new Date(server.clock() + 3_600_000)],
  );
  const { status, body } = await server.request("DELETE", "/clients/used", { version: 1 });
  expect(status).toBe(409);
  expect(body).toEqual({
    error: "in_use",
    error_description: '1 device is signed in with "used". Sign it out first, or disable the client instead.',
  });
});

const claude = "https://claude.ai/oauth/claude-code-client-metadata";
const claudePath = `/clients/${encodeURIComponent(claude)}`;

async function storeDocumentClient(): Promise<void> {
  const { store } = server.context;
  const at = new Date(server.clock());
  const client: Client = {
    ...registeredClient,
    id: claude,
    name: "Claude Code",
    type: "public",
    redirectUris: ["http://localhost/callback"],
    keys: [],
    dpopBound: false,
    source: "metadata_document",
    builtIn: false,
    enabled: true,
  };
  await store.clients.save(client, at);
}

describe("a ceiling", () => {
  test("is set, changed and taken away, and the trail says so once", async () => {
    const created = await server.request("POST", "/clients", {
      body: { ...portal(), id: "limited", ceiling: ["contracts:read"] },
    });
    expect(created.body).toMatchObject({ ceiling: ["contracts:read"], source: "registered", host: null });
    expect((await patch("limited", { ceiling: [] }, 1)).body).toMatchObject({ ceiling: [], version: 2 });
    expect((await patch("limited", { name: "Limited" }, 2)).body).toMatchObject({ ceiling: [] });
    expect((await patch("limited", { ceiling: null }, 3)).body).toMatchObject({ ceiling: null });
    const changes = (await server.audit("client.changed")).filter(({ data }) => data["id"] === "limited");
    expect(changes.map(({ data }) => data["fields"])).toEqual([["ceiling"], ["name"], ["ceiling"]]);
  });

  test.each([
    {
      name: "with a scope that nobody knows",
      body: () => ({ ...portal(), id: "refused", ceiling: ["contracts:red"] }),
      message: '"contracts:red" is not a known scope',
    },
    {
      name: "for a machine, whose scopes are its ceiling",
      body: () => ({ ...machine(), id: "refused", ceiling: [] }),
      message: "is not known here",
    },
  ])("is refused $name", async ({ body, message }) => {
    const answer = await server.request("POST", "/clients", { body: body() });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ fields: [{ path: "ceiling", message }] });
  });
});

describe("a client with a metadata document", () => {
  beforeAll(storeDocumentClient);

  test("is listed with its host, and found by its address", async () => {
    const { body } = await server.request("GET", "/clients?source=metadata_document");
    expect(body["items"]).toMatchObject([{ id: claude, host: "claude.ai", trusted: true, ceiling: null }]);
    expect((await server.request("GET", claudePath)).body).toMatchObject({ id: claude, name: "Claude Code" });
  });

  test.each([
    { name: "name", value: "Mine" },
    { name: "redirectUris", value: [] },
    { name: "keys", value: [] },
    { name: "dpopBound", value: true },
    { name: "scopes", value: [] },
  ])("keeps what it says: $name cannot be changed", async ({ name, value }) => {
    const { status, body } = await server.request("PATCH", claudePath, {
      body: { [name]: value },
      version: 1,
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      fields: [
        { path: name, message: "cannot be changed here: it comes from the client's metadata document" },
      ],
    });
  });

  test("gets a ceiling, is disabled and removed", async () => {
    const body = { ceiling: ["contracts:read"], enabled: false };
    const changed = await server.request("PATCH", claudePath, { body, version: 1 });
    expect(changed.body).toMatchObject({
      ...body,
      name: "Claude Code",
      source: "metadata_document",
      version: 2,
    });
    expect(await server.context.store.clients.find(claude)).toMatchObject({
      redirectUris: ["http://localhost/callback"],
      grantTypes: registeredClient.grantTypes,
      dpopBound: false,
      limited: true,
    });
    expect((await server.request("DELETE", claudePath, { version: 2 })).status).toBe(204);
  });
});

describe("signing a client out everywhere", () => {
  const grant = async (userId: string, seconds = 3600) =>
    await server.database.query(
      `INSERT INTO grants (id, user_id, client_id, scopes, auth_time, amr, created_at, expires_at)
      VALUES (gen_random_uuid(), $1, $2, '{}', $3, '{}', $3, $4)`,
      [userId, claude, new Date(server.clock()), new Date(server.clock() + seconds * 1000)],
    );

  test("says first what ends, then ends all of it, once", async () => {
    await storeDocumentClient();
    const lina = await server.signIn("Lina");
    await grant(lina.user.id);
    await grant(lina.user.id);
    await grant(server.ada.user.id);
    await grant(server.ada.user.id, -1);
    await server.database.query(`
      INSERT INTO resources (id, key, name, resource, authorization_server, client_id, request_prefixes, covers)
      VALUES (gen_random_uuid(), 'contracts', 'Contracts', 'https://contracts.acme.example/api', '', '', '{}', '{}')`);
    await server.database.query(
      `INSERT INTO consents (user_id, client_id, resource_id, scopes, client_digest, given_at)
      SELECT $1, $2, id, '{}', '', now() FROM resources WHERE key = 'contracts'`,
      [lina.user.id, claude],
    );
    // The consent stands for as long as one of these does.
    await server.database.query(
      "UPDATE grants SET resource_id = (SELECT id FROM resources WHERE key = 'contracts') WHERE user_id = $1",
      [lina.user.id],
    );
    const preview = await server.request("POST", `${claudePath}/sign-outs?preview=true`);
    expect(await server.database.query("SELECT FROM consents")).toHaveLength(1);
    expect(preview.body).toMatchObject({
      impact: { notes: ["3 signed-in apps of 2 people will be signed out."] },
    });
    expect((await server.request("GET", claudePath)).body).toMatchObject({ grants: 3 });
    const { body } = await server.request("POST", `${claudePath}/sign-outs`);
    expect(body).toEqual({ grants: 3, people: 2 });
    expect((await server.request("POST", `${claudePath}/sign-outs`)).body).toEqual({ grants: 0, people: 0 });
    expect(await server.database.query("SELECT FROM consents")).toEqual([]);
    const ended = (await server.audit("grant.revoked")).map(({ data }) => data["reason"]);
    expect(ended).toEqual(Array.from({ length: 3 }, () => "revoked_by_administrator"));
    expect((await server.request("POST", "/clients/nobody/sign-outs")).status).toBe(404);
  });
});

test("what went through a client is counted for four periods, and found in the trail by its address", async () => {
  await storeDocumentClient();
  const { store } = server.context;
  const lina = await server.signIn("Lina");
  for (const [daysAgo, subject, outcome] of [
    [0, lina.user.id, "success"],
    [3, lina.user.id, "success"],
    [20, server.ada.user.id, "denied"],
    [80, server.ada.user.id, "success"],
    [100, server.ada.user.id, "success"],
  ] as const) {
    const at = new Date(server.clock() - daysAgo * 86_400_000);
    const common = { actor: { type: "user", id: subject }, subject, clientId: claude, at } as const;
    await recordAudit(
      store,
      outcome === "success"
        ? {
            ...common,
            type: "assertion.issued",
            outcome,
            data: {
              grantId: "g",
              tokenId: "t",
              resource: "https://c.acme.example/api",
              scopes: [],
              jkt: null,
            },
          }
        : {
            ...common,
            type: "token.refused",
            outcome,
            data: { grantType: "refresh_token", grantId: null, error: "invalid_grant", reason: "expired" },
          },
    );
  }
  await sealAndIndex(server.context);
  const { body } = await server.request("GET", `${claudePath}/usage`);
  expect(body["periods"]).toEqual([
    { period: "24h", issued: 1, denied: 0, people: 1 },
    { period: "7d", issued: 2, denied: 0, people: 1 },
    { period: "30d", issued: 2, denied: 1, people: 2 },
    { period: "90d", issued: 3, denied: 1, people: 2 },
  ]);
  const query = new URLSearchParams({ client: claude, type: "assertion.issued", subject: lina.user.id });
  const found = await server.request("GET", `/audit-events?${query.toString()}`);
  expect(found.body["items"]).toMatchObject([
    {
      client: { id: claude, name: "Claude Code", host: "claude.ai" },
      description: expect.stringMatching(
        /^lina@acme\.example through Claude Code \(claude\.ai\) got access to/,
      ),
    },
    {},
  ]);
  const words = await server.request("GET", `/audit-events?${query.toString()}&q=lina`);
  expect(words.body["items"]).toHaveLength(2);
});
