import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type DevIdp, startDevIdp } from "@authz/dev-idp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { providerSecretRow } from "../../src/platform/vault/rows.js";
import { type AdminServer, createAdminServer } from "../support/admin.js";

let server: AdminServer;
let idp: DevIdp;
beforeAll(async () => {
  const clients = [
    { clientId: "authz", clientSecret: "s", redirectUris: ["http://127.0.0.1:3000/sign-in/callback"] },
  ];
  [server, idp] = await Promise.all([createAdminServer(), startDevIdp({ clients })]);
});
afterAll(() => Promise.all([server.close(), idp.close()]));

const secret = "a very secret text";
const okta = () => ({
  key: "okta",
  name: "Okta",
  issuer: "https://acme.okta.example",
  clientId: "authz",
  clientSecret: secret,
  scopes: ["openid", "email"],
  enabled: true,
  untested: true,
});
const show = async (key: string) => (await server.request("GET", `/identity-providers/${key}`)).body;
/** Whether it was tested has tests of its own. */
const patch = (key: string, change: object, version: number, preview = false) =>
  server.request("PATCH", `/identity-providers/${key}${preview ? "?preview=true" : ""}`, {
    body: { ...change, untested: true },
    version,
  });
const remove = (key: string, version: number, preview = false) =>
  server.request("DELETE", `/identity-providers/${key}${preview ? "?preview=true" : ""}`, { version });

async function storedSecret(key: string): Promise<string | null> {
  const { store, credentials } = server.context;
  const found = await store.identityProviders.findByKey(key);
  if (found === undefined || found.clientSecret === null) return null;
  return await credentials.open(found.clientSecret, providerSecretRow(found.id));
}

test("the last provider can be neither disabled nor removed, nor moved to another issuer", async () => {
  const disabled = await patch("acme", { enabled: false }, 1);
  expect(disabled.status).toBe(409);
  expect(disabled.body).toEqual({
    error: "last_provider",
    error_description:
      "Nobody could sign in without Acme accounts: it is the last provider that works. Add or enable another one first.",
  });
  expect((await remove("acme", 1)).body["error"]).toBe("last_provider");
  expect((await patch("acme", { enabled: false }, 1, true)).body["error"]).toBe("last_provider");
  const moved = { issuer: idp.issuer };
  for (const preview of [true, false]) {
    const refused = await patch("acme", moved, 1, preview);
    expect([refused.status, refused.body["error"]]).toEqual([409, "last_provider"]);
  }
  expect(await show("acme")).toMatchObject({ issuer: "https://accounts.acme.example", version: 1 });
});

describe("a provider", () => {
  test("is added with a secret that never comes back", async () => {
    const { status, body, text } = await server.request("POST", "/identity-providers", { body: okta() });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      key: "okta",
      hasClientSecret: true,
      enabled: true,
      people: 0,
      callbackUrl: "http://127.0.0.1:3000/sign-in/callback/okta",
      groupProvider: null,
      version: 1,
    });
    expect(text).not.toContain(secret);
    expect(await storedSecret("okta")).toBe(secret);
    expect(JSON.stringify(await server.audit())).not.toContain(secret);
  });

  test.each([
    { name: "the plain callback, when it is the first one", key: "acme", path: "" },
    { name: "a callback of its own, when it is another one", key: "partner", path: "/partner" },
    { name: "a callback with a place for its key, while that is not known", key: undefined, path: "/{key}" },
  ])("has $name", async ({ key, path }) => {
    const { body } = await server.request("POST", "/identity-providers/checks", {
      body: {
        clientId: "authz",
        scopes: ["openid", "email"],
        issuer: idp.issuer,
        ...(key !== undefined && { key }),
      },
    });
    const callbackUrl = `http://127.0.0.1:3000/sign-in/callback${path}`;
    expect(body["callbackUrl"]).toBe(callbackUrl);
    const checks = body["checks"] as { id: string; remedy?: string }[];
    expect(checks.at(-1)?.remedy).toContain(`${callbackUrl} `);
  });

  test("keeps its secret when something else changes", async () => {
    const { body } = await patch("okta", { name: "Okta EU", allowedEmailDomains: ["Acme.example"] }, 1);
    expect(body).toMatchObject({ name: "Okta EU", allowedEmailDomains: ["acme.example"], version: 2 });
    expect(await storedSecret("okta")).toBe(secret);
    const [event] = await server.audit("provider.changed");
    expect(event?.data).toEqual({ key: "okta", fields: ["name", "allowedEmailDomains"] });
  });

  test("at another address needs its secret again", async () => {
    const moved = { issuer: idp.issuer };
    const refused = await patch("okta", moved, 2);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ fields: [{ path: "clientSecret" }] });
    const changed = await patch("okta", { ...moved, clientSecret: "another" }, 2);
    expect(changed.body).toMatchObject({ ...moved, version: 3 });
    expect(await storedSecret("okta")).toBe("another");
  });

  test("loses its secret when it becomes one without, and needs one to come back", async () => {
    const without = await patch("okta", { tokenEndpointAuthMethod: "none" }, 3);
    expect(without.body).toMatchObject({ hasClientSecret: false, version: 4 });
    expect(await storedSecret("okta")).toBeNull();
    const { status, body } = await patch("okta", { tokenEndpointAuthMethod: "client_secret_post" }, 4);
    expect(status).toBe(400);
    expect(body).toMatchObject({ fields: [{ path: "clientSecret" }] });
  });

  test("has its assertions accepted when somebody says so, and no other provider of that issuer has", async () => {
    const body = { ...okta(), key: "assertions", issuer: "https://assertions.okta.example" };
    const created = await server.request("POST", "/identity-providers", { body });
    expect(created.body).toMatchObject({ allowsAssertions: false });
    const allowed = await patch("assertions", { allowsAssertions: true }, 1);
    expect(allowed.body).toMatchObject({ allowsAssertions: true, version: 2 });
    expect((await patch("assertions", { name: "Okta too" }, 2)).body).toMatchObject({
      allowsAssertions: true,
    });
    const changes = (await server.audit("provider.changed")).filter(
      ({ data }) => data["key"] === "assertions",
    );
    expect(changes.map(({ data }) => data["fields"])).toEqual([["allowsAssertions"], ["name"]]);
    const second = { ...body, key: "second", allowsAssertions: true };
    const refused = await server.request("POST", "/identity-providers", { body: second });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ error: "already_exists", fields: [{ path: "allowsAssertions" }] });
    const without = await server.request("POST", "/identity-providers", {
      body: { ...second, allowsAssertions: false },
    });
    expect(without.status).toBe(201);
    await Promise.all(
      ["assertions", "second"].map(async (key) => remove(key, (await show(key))["version"] as number)),
    );
  });

  test("has a button with a text of its own until that is taken away", async () => {
    const labelled = await patch("okta", { buttonLabel: "Partners" }, 4);
    expect(labelled.body).toMatchObject({ buttonLabel: "Partners", version: 5 });
    expect((await patch("okta", { enabled: true }, 5)).body).toMatchObject({ buttonLabel: "Partners" });
    expect((await patch("okta", { buttonLabel: null }, 5)).body).toMatchObject({ buttonLabel: null });
    expect(await show("okta")).toMatchObject({ buttonLabel: null, version: 6 });
  });

  test("at another issuer knows nobody: the same account can be somebody else there", async () => {
    const { store } = server.context;
    await server.request("POST", "/identity-providers", {
      body: { ...okta(), key: "moves", enabled: false },
    });
    const { id: providerId = "" } = (await store.identityProviders.findByKey("moves")) ?? {};
    const at = new Date(server.clock());
    const signIn = (email: string) =>
      store.transaction((tx) => tx.users.signIn({ providerId, subject: "1", email, at }));
    const first = await signIn("first@acme.example");
    await store.userGroups.replace({
      userId: first.id,
      providerId,
      groups: ["admins"],
      unavailable: false,
      signedInAt: at,
      expiresAt: new Date(at.getTime() + 3_600_000),
    });
    const session = { id: randomUUID(), userId: first.id, providerId, authTime: null, askedAnewAt: null };
    const times = { signedInAt: at, expiresAt: new Date(at.getTime() + 3_600_000) };
    await store.browserSessions.insert(
      { ...session, ...times, amr: [], userAgent: null },
      Buffer.alloc(32, 9),
    );
    await patch("moves", { issuer: "https://moved.example", clientSecret: "another" }, 1);
    expect(await store.browserSessions.listLive({ userId: first.id, now: at, limit: 5 })).toEqual([]);
    const [other, again] = [await signIn("other@acme.example"), await store.users.find(first.id)];
    expect(other.id).not.toBe(first.id);
    expect(again).toMatchObject({ email: "first@acme.example" });
    expect(await store.userGroups.find({ userId: first.id, providerId })).toBeUndefined();
    await remove("moves", 2);
  });

  test("is not changed from an old version", async () => {
    const { status, body } = await patch("okta", { name: "Old" }, 1);
    expect(status).toBe(412);
    expect(body).toMatchObject({ error: "version_conflict", current: { key: "okta", version: 6 } });
  });
});

describe("a new provider is refused", () => {
  test.each<{ name: string; change: object; path: string }>([
    { name: "with a key that is taken", change: { key: "acme" }, path: "key" },
    { name: "without a secret", change: { clientSecret: undefined }, path: "clientSecret" },
    { name: "with a plain http: issuer", change: { issuer: "http://acme.example" }, path: "issuer" },
    {
      name: "with a metadata address that is none",
      change: { discoveryUrl: "https://acme.example" },
      path: "discoveryUrl",
    },
    { name: "without scopes", change: { scopes: [] }, path: "scopes" },
    { name: "with a member that is not known", change: { id: "x" }, path: "id" },
  ])("$name", async ({ change, path }) => {
    const body = { ...okta(), key: "refused", ...change };
    const answer = await server.request("POST", "/identity-providers", { body });
    expect([400, 409]).toContain(answer.status);
    expect(answer.body).toMatchObject({ fields: [{ path }] });
    expect((await server.request("GET", "/identity-providers/refused")).status).toBe(404);
  });
});

describe("with a second provider", () => {
  test("disabling the first shows who is shut out, and stores nothing of that", async () => {
    const lina = await server.signIn("Lina");
    const seen = await show("acme");
    const events = (await server.audit()).length;
    const { status, body } = await patch("acme", { enabled: false }, 1, true);
    expect(status).toBe(200);
    expect(body).toEqual({
      impact: {
        gains: [],
        losses: [],
        notes: [
          "You signed in at Acme accounts yourself: you will be signed out, and must sign in elsewhere.",
          "2 people sign in at Acme accounts only, and could no longer do so.",
          "2 browser sessions that began there will end.",
        ],
      },
    });
    expect(await show("acme")).toEqual(seen);
    expect(await server.audit()).toHaveLength(events);
    expect((await server.request("GET", `/users/${lina.user.id}`)).body).toMatchObject({ sessions: 1 });
  });

  test("moving the first to another issuer shows what is forgotten, and ends the sessions from there", async () => {
    const moved = { issuer: idp.issuer };
    const preview = await patch("acme", moved, 1, true);
    expect(preview.body).toMatchObject({
      impact: {
        notes: [
          "You signed in at Acme accounts yourself: you will be signed out, and must sign in elsewhere.",
          "2 people have accounts at Acme accounts. With another issuer these are forgotten, and people are recognized by their verified email address.",
          "2 browser sessions that began there will end.",
        ],
      },
    });
    expect((await server.request("GET", "/session")).status).toBe(200);
  });

  test.each([
    { name: "an issuer where nobody answers", change: { issuer: "http://127.0.0.1:9" }, path: "issuer" },
    {
      name: "metadata of another issuer",
      change: { discoveryUrl: "DISCOVERY" },
      path: "discoveryUrl",
    },
  ])("one is not moved to $name, unless it is disabled", async ({ change, path }) => {
    const discoveryUrl = `${idp.issuer}/.well-known/openid-configuration`;
    const moved = { ...change, ...("discoveryUrl" in change && { discoveryUrl }), clientSecret: "another" };
    const body = { ...okta(), key: "moving" };
    const { version } = (await server.request("POST", "/identity-providers", { body })).body as {
      version: number;
    };
    const refused = await patch("moving", moved, version);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ fields: [{ path }] });
    expect((await patch("moving", { ...moved, enabled: false }, version)).status).toBe(200);
    await remove("moving", version + 1);
  });

  test("one is not removed while a group provider takes its groups", async () => {
    const body = { type: "claim", key: "okta-groups", name: "Okta groups", provider: "okta" };
    await server.request("POST", "/group-providers", { body });
    const refused = await remove("okta", 6);
    expect([refused.status, refused.body["error"]]).toEqual([409, "in_use"]);
    expect(refused.body["error_description"]).toContain('The group provider "okta-groups"');
    expect((await server.request("DELETE", "/group-providers/okta-groups", { version: 1 })).status).toBe(204);
  });

  test("of two that leave at the same time one stays", async () => {
    const answers = await Promise.all([patch("acme", { enabled: false }, 1), remove("okta", 6)]);
    const refused = answers.filter(({ status }) => status >= 400);
    // Ada signed in at acme: when that leaves first, she has to sign in again.
    expect(refused.map(({ body }) => body["error"])).toEqual([
      expect.stringMatching(/^(?:last_provider|login_required)$/),
    ]);
    const enabled = await server.context.store.identityProviders.listEnabled();
    expect(enabled).toHaveLength(1);
    await server.database.query("UPDATE identity_providers SET enabled = true");
  });

  test("one whose secret cannot be read does not count", async () => {
    await server.request("POST", "/identity-providers", { body: { ...okta(), key: "broken" } });
    await server.database.query("UPDATE identity_providers SET client_secret = 'x' WHERE key = 'broken'");
    await server.database.query("UPDATE identity_providers SET enabled = key IN ('acme', 'broken')");
    const { version } = (await show("acme")) as { version: number };
    expect((await patch("acme", { enabled: false }, version)).body["error"]).toBe("last_provider");
  });

  test("the other one is removed, with an entry in the audit trail", async () => {
    expect((await remove("broken", 1)).status).toBe(204);
    expect((await server.request("GET", "/identity-providers/broken")).status).toBe(404);
    const [event] = (await server.audit("provider.removed")).slice(-1);
    expect(event).toMatchObject({
      actor_id: server.ada.user.id,
      data: { key: "broken", issuer: "https://acme.okta.example" },
    });
  });
});

describe("a check", () => {
  const check = (body: object) =>
    server.request("POST", "/identity-providers/checks", {
      body: { clientId: "authz", scopes: ["openid", "email"], ...body },
    });
  const failing = (body: Record<string, unknown>) =>
    (body["checks"] as { id: string; state: string; detail: string }[]).filter(
      ({ state }) => state === "failed",
    );

  test("of a provider that works finds nothing wrong, and says what it cannot see", async () => {
    const events = (await server.audit()).length;
    const { status, body } = await check({ issuer: idp.issuer });
    expect(status).toBe(200);
    expect(failing(body)).toEqual([]);
    const checks = body["checks"] as { id: string; state: string }[];
    expect(checks.map(({ id }) => id)).toEqual([
      "discovery",
      "issuer",
      "endpoints",
      "code_flow",
      "pkce",
      "signing_algorithms",
      "authentication",
      "scopes",
      "claims",
      "keys",
      "sign_in",
      "client",
    ]);
    expect(checks.at(-1)).toMatchObject({ id: "client", state: "warning" });
    expect(await server.audit()).toHaveLength(events);
  });

  test("of an address where nobody answers names the metadata", async () => {
    const { body } = await check({ issuer: "http://127.0.0.1:9" });
    expect(failing(body)).toEqual([
      expect.objectContaining({ id: "discovery", detail: expect.stringContaining("cannot be reached") }),
    ]);
  });

  test("of an address inside the network reaches nothing", async () => {
    const { body } = await check({ issuer: "https://169.254.169.254" });
    expect(failing(body)).toEqual([
      expect.objectContaining({ id: "discovery", detail: expect.stringContaining("not a public address") }),
    ]);
  });

  test("names what is wrong with the metadata and the keys", async () => {
    const other = await startImitation((origin) => ({
      "/.well-known/openid-configuration": {
        issuer: idp.issuer,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        jwks_uri: `${origin}/keys`,
      },
      "/keys": { keys: [] },
    }));
    const { body } = await check({ issuer: other.origin });
    expect(failing(body).map(({ id }) => id)).toEqual(["issuer", "keys", "sign_in"]);
    await other.close();
  });

  test("takes metadata at an address of its own", async () => {
    const discoveryUrl = `${idp.issuer}/.well-known/openid-configuration`;
    expect(failing((await check({ issuer: idp.issuer, discoveryUrl })).body)).toEqual([]);
    const other = (await check({ issuer: "https://other.example", discoveryUrl })).body;
    expect(failing(other).map(({ id }) => id)).toEqual(["issuer", "sign_in"]);
  });
});

/** A server that answers with these documents, by path. */
async function startImitation(
  documents: (origin: string) => Readonly<Record<string, unknown>>,
): Promise<{ origin: string; close: () => Promise<void> }> {
  const http: Server = createServer((request, response) => {
    const document = documents(origin)[request.url ?? ""];
    response.statusCode = document === undefined ? 404 : 200;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      http.close(() => resolve());
      http.closeAllConnections();
    });
  return { origin, close };
}
