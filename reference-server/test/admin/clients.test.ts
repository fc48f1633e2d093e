import { generateEs256KeyPair } from "@authz/dpop";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminServer, createAdminServer } from "../support/admin.js";

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
    fields: [{ path: "scopes", message: "is nothing that a confidential client has" }],
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
    error_description: '1 device is logged in with "used". Sign it out first, or disable the client instead.',
  });
});
