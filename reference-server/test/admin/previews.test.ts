import { randomUUID } from "node:crypto";
import { generateEs256KeyPair } from "@authz/dpop";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminServer, createAdminServer } from "../support/admin.js";

let server: AdminServer;
let key: Record<string, string>;
let other: Record<string, string>;

beforeAll(async () => {
  server = await createAdminServer();
  const at = new Date(server.clock());
  for (const scope of ["contracts:read", "contracts:write"]) {
    await server.context.store.scopes.save({ key: scope, description: scope, system: false }, at);
  }
  [key, other] = await Promise.all([newKey("first"), newKey("second")]);
});
afterAll(() => server.close());

async function newKey(kid: string): Promise<Record<string, string>> {
  const { kty, crv, x, y } = (await generateEs256KeyPair()).publicJwk;
  return { kid, kty, crv, x, y };
}

/** What the preview of a request says, after which nothing may have changed. */
async function preview(method: string, path: string, options: { body?: unknown; version?: number } = {}) {
  const { status, body } = await server.request(method, `${path}?preview=true`, options);
  expect(status).toBe(200);
  const { gains, losses, notes } = body["impact"] as { gains: unknown[]; losses: unknown[]; notes: string[] };
  expect([gains, losses]).toEqual([[], []]);
  return notes;
}

describe("a preview of a machine", () => {
  const machine = () => ({
    type: "machine",
    id: "nightly",
    name: "Nightly",
    keys: [key],
    scopes: ["contracts:read"],
  });

  test("says what it gains when it is registered, and registers nothing", async () => {
    expect(await preview("POST", "/clients", { body: machine() })).toEqual([
      "The machine gains contracts:read.",
    ]);
    expect((await server.request("GET", "/clients/nightly")).status).toBe(404);
    expect((await server.request("POST", "/clients", { body: machine() })).status).toBe(201);
  });

  test.each([
    {
      name: "other permissions",
      body: () => ({ scopes: ["contracts:write"] }),
      notes: ["The machine loses contracts:read.", "The machine gains contracts:write."],
    },
    { name: "another name", body: () => ({ name: "Daily" }), notes: [] },
    {
      name: "another key",
      body: () => ({ keys: [other] }),
      notes: ["The key first is removed: whatever signs with it gets no more tokens."],
    },
    { name: "off", body: () => ({ enabled: false }), notes: ["The machine loses contracts:read."] },
  ])("with $name", async ({ body, notes }) => {
    expect(await preview("PATCH", "/clients/nightly", { body: body(), version: 1 })).toEqual(notes);
    expect((await server.request("GET", "/clients/nightly")).body).toMatchObject({ version: 1 });
  });

  test("says what is lost with it", async () => {
    expect(await preview("DELETE", "/clients/nightly", { version: 1 })).toEqual([
      "The machine loses contracts:read.",
      "The key first is removed: whatever signs with it gets no more tokens.",
    ]);
  });
});

describe("a preview of an app that somebody is signed in with", () => {
  beforeAll(async () => {
    const body = {
      type: "public",
      id: "notes",
      name: "Notes",
      redirectUris: ["https://notes.acme.example/a", "https://notes.acme.example/b"],
    };
    await server.request("POST", "/clients", { body });
    const bruno = await server.signIn("Bruno");
    await server.database.query(
      `INSERT INTO grants (id, user_id, client_id, scopes, amr, created_at, expires_at)
       VALUES ($1, $2, 'notes', '{}', '{}', now(), $3)`,
      [randomUUID(), bruno.user.id, new Date(server.clock() + 86_400_000)],
    );
  });

  test.each([
    {
      name: "that is disabled",
      body: { enabled: false },
      notes: ["The app gets no more tokens: it stops for 1 person."],
    },
    {
      name: "that gets a limit",
      body: { ceiling: ["contracts:read"] },
      notes: ["Whoever uses the app, it gets at most contracts:read. 1 person is signed in with it."],
    },
    {
      name: "that may get nothing",
      body: { ceiling: [] },
      notes: ["Whoever uses the app, it gets nothing at all. 1 person is signed in with it."],
    },
    {
      name: "that loses an address",
      body: { redirectUris: ["https://notes.acme.example/a"] },
      notes: ["Sign-ins that return to https://notes.acme.example/b fail from then on."],
    },
    { name: "with another name", body: { name: "Notebook" }, notes: [] },
  ])("$name", async ({ body, notes }) => {
    expect(await preview("PATCH", "/clients/notes", { body, version: 1 })).toEqual(notes);
  });

  test("that is enabled again, without its limit", async () => {
    const off = { enabled: false, ceiling: ["contracts:read"] };
    await server.request("PATCH", "/clients/notes", { body: off, version: 1 });
    const body = { enabled: true, ceiling: null };
    expect(await preview("PATCH", "/clients/notes", { body, version: 2 })).toEqual([
      "The app gets tokens again: it works again for 1 person.",
      "There is no limit any more: the app gets what its person may do and has allowed. 1 person is signed in with it.",
    ]);
  });
});

test("a preview of a permission says that nobody gains or loses it", async () => {
  const body = { key: "orders:read", description: "Read orders" };
  expect(await preview("POST", "/scopes", { body })).toEqual([
    "Nobody has it until it is assigned, and no service checks it yet.",
  ]);
  expect((await server.request("POST", "/scopes", { body })).status).toBe(201);
  await server.signIn("Carla", ["orders:read"]);
  const words = { body: { description: "See orders" }, version: 1 };
  expect(await preview("PATCH", "/scopes/orders:read", words)).toEqual([
    "Only the words change. 1 person has this permission, as before.",
  ]);
  expect((await server.request("GET", "/scopes/orders:read")).body).toMatchObject({
    description: "Read orders",
  });
  expect(await preview("DELETE", "/scopes/contracts:write", { version: 1 })).toEqual([]);
});

test("a preview of the settings says who reads something else", async () => {
  const { body: settings } = await server.request("GET", "/settings");
  const { installationName, version } = settings as { installationName: string; version: number };
  const change = { installationName: "Globex", instructions: "Ask first." };
  expect(await preview("PATCH", "/settings", { body: change, version })).toEqual([
    `Sign-in pages, consents and the command line call this installation “Globex” instead of “${installationName}”.`,
    "Every agent reads the text for agents before anything else, from its next question on.",
  ]);
  expect(await preview("PATCH", "/settings", { body: { instructions: null }, version })).toEqual([]);
  expect((await server.request("GET", "/settings")).body).toEqual(settings);
});
