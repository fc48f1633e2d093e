import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Client, registeredClient } from "../../src/store/clients.js";
import { type AdminServer, createAdminServer, type SignedInPerson } from "../support/admin.js";

let server: AdminServer;
let lina: SignedInPerson;
beforeAll(async () => {
  server = await createAdminServer();
  lina = await server.signIn("Lina");
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.database.query(`
    TRUNCATE app_hosts, app_requests;
    DELETE FROM clients WHERE source <> 'registered';
    UPDATE settings SET app_trust = 'listed', dynamic_registration = false`);
});

const at = () => new Date(server.clock());
const policy = async () => (await server.request("GET", "/app-policy")).body;

/** An app that somebody is signed in with. */
async function addApp(
  name: string,
  host: string,
  source: Client["source"] = "metadata_document",
): Promise<string> {
  const { store } = server.context;
  const isDocument = source === "metadata_document";
  const id = isDocument ? `https://${host}/app.json` : randomUUID();
  const client: Client = {
    ...registeredClient,
    id,
    name,
    source,
    type: "public",
    redirectUris: ["http://localhost/callback"],
    keys: [],
    dpopBound: false,
    builtIn: false,
    enabled: true,
  };
  await store.clients.save(client, at());
  const found = {
    digest: Buffer.alloc(32),
    etag: null,
    fetchedAt: at(),
    freshUntil: at(),
    countsUntil: at(),
  };
  if (isDocument) await store.clientDocuments.save({ clientId: id, host, ...found });
  await store.clients.judgeTrust(at());
  await server.database.query(
    `INSERT INTO grants (id, user_id, client_id, scopes, auth_time, amr, created_at, expires_at)
    VALUES (gen_random_uuid(), $1, $2, '{}', $3, '{}', $3, $4)`,
    [lina.user.id, id, at(), new Date(server.clock() + 3_600_000)],
  );
  return id;
}

const isTrusted = async (id: string) => (await server.context.store.clients.find(id))?.trusted;
const notesOf = (body: Record<string, unknown>) =>
  (body["impact"] as { readonly notes: readonly string[] }).notes;

async function ask(host: string, person: SignedInPerson = lina): Promise<void> {
  const clientId = `https://${host}/app.json`;
  await server.context.store.appRequests.add({ host, userId: person.user.id, clientId, askedAt: at() });
}

describe("a host", () => {
  test("is allowed, renamed, refused and forgotten, and its apps follow at once", async () => {
    const app = await addApp("Claude Code", "claude.ai");
    expect(await isTrusted(app)).toBe(false);
    const body = { host: "claude.ai", name: "Claude" };
    const preview = await server.request("POST", "/app-hosts?preview=true", { body });
    expect(notesOf(preview.body)).toEqual([
      "Claude Code: would get in again. 1 signed-in app goes on without a new sign-in.",
    ]);
    const created = await server.request("POST", "/app-hosts", { body });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ ...body, allowed: true, clients: 1, askedBy: 0, version: 1 });
    expect(await isTrusted(app)).toBe(true);

    const path = "/app-hosts/claude.ai";
    const renamed = await server.request("PATCH", path, { body: { name: "Anthropic" }, version: 1 });
    expect(renamed.body).toMatchObject({ name: "Anthropic", allowed: true, version: 2 });
    const refusal = { body: { allowed: false }, version: 2 };
    const refusing = await server.request("PATCH", `${path}?preview=true`, refusal);
    expect(notesOf(refusing.body)).toEqual([
      "Claude Code: would no longer get in. 1 signed-in app stops, until it is let in again.",
    ]);
    expect(await isTrusted(app)).toBe(true);
    const refused = await server.request("PATCH", path, refusal);
    expect(refused.body).toMatchObject({ allowed: false, version: 3 });
    expect(await isTrusted(app)).toBe(false);
    const late = await server.request("PATCH", path, { body: { allowed: true }, version: 2 });
    expect(late.status).toBe(412);
    expect((await server.request("DELETE", path, { version: 3 })).status).toBe(204);
    expect((await server.request("GET", path)).status).toBe(404);
    expect((await server.audit("app_host.changed")).map(({ data }) => data["allowed"])).toEqual([
      { from: null, to: true },
      { from: true, to: false },
      { from: false, to: null },
    ]);
  });

  test("is listed by what was decided, and found by its words", async () => {
    for (const [host, name, allowed] of [
      ["claude.ai", "Claude", true],
      ["apps.example:8443", "Own apps", true],
      ["bad.example", "Bad", false],
    ] as const) {
      await server.request("POST", "/app-hosts", { body: { host, name, allowed } });
    }
    const hosts = async (query: string) => {
      const { body } = await server.request("GET", `/app-hosts${query}`);
      return (body["items"] as { readonly host: string }[]).map(({ host }) => host);
    };
    expect(await hosts("")).toEqual(["bad.example", "claude.ai", "apps.example:8443"]);
    expect(await hosts("?allowed=true&sort=-host")).toEqual(["claude.ai", "apps.example:8443"]);
    expect(await hosts("?allowed=false")).toEqual(["bad.example"]);
    expect(await hosts("?q=own")).toEqual(["apps.example:8443"]);
    const path = `/app-hosts/${encodeURIComponent("apps.example:8443")}`;
    expect((await server.request("GET", path)).body).toMatchObject({ host: "apps.example:8443" });
  });

  test.each<{ name: string; body: Record<string, unknown>; path: string }>([
    { name: "an address", body: { host: "https://claude.ai", name: "Claude" }, path: "host" },
    { name: "capital letters", body: { host: "Claude.ai", name: "Claude" }, path: "host" },
    { name: "a NUL", body: { host: "claude.ai\0", name: "Claude" }, path: "host" },
    { name: "no name", body: { host: "claude.ai", name: " " }, path: "name" },
    { name: "something else", body: { host: "claude.ai", name: "Claude", trusted: true }, path: "trusted" },
  ])("is refused with $name", async ({ body, path }) => {
    const answer = await server.request("POST", "/app-hosts", { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ fields: [{ path }] });
  });

  test("is decided about once; the second of two hears that it is", async () => {
    const body = { host: "claude.ai", name: "Claude" };
    const answers = await Promise.all([1, 2].map(() => server.request("POST", "/app-hosts", { body })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
  });
});

describe("what people ask for", () => {
  test("is listed by how many they are, and gone once somebody decides", async () => {
    const bruno = await server.signIn("Bruno");
    await ask("claude.ai");
    await ask("claude.ai", bruno);
    await ask("other.example");
    const { body } = await server.request("GET", "/app-requests");
    expect(body["items"]).toMatchObject([
      { host: "claude.ai", people: 2, clientId: "https://claude.ai/app.json" },
      { host: "other.example", people: 1 },
    ]);
    expect(await policy()).toMatchObject({ asked: 2 });
    const askers = await server.request("GET", "/app-requests/other.example");
    expect(askers.body).toEqual({
      host: "other.example",
      people: [
        {
          user: { id: lina.user.id, email: "lina@acme.example", name: "Lina" },
          clientId: "https://other.example/app.json",
          askedAt: "2026-11-20T12:00:00.000Z",
        },
      ],
    });
    const overview = await server.request("GET", "/overview");
    expect(overview.body["hints"]).toContainEqual(expect.objectContaining({ id: "decide_app_hosts" }));

    await server.request("POST", "/app-hosts", { body: { host: "claude.ai", name: "Claude" } });
    const refused = { host: "other.example", name: "Other", allowed: false };
    await server.request("POST", "/app-hosts", { body: refused });
    expect((await server.request("GET", "/app-requests")).body["items"]).toEqual([]);
    expect(await policy()).toMatchObject({ asked: 0 });
    expect((await server.request("GET", "/app-hosts/other.example")).body).toMatchObject({ askedBy: 1 });
    expect((await server.request("GET", "/app-requests/claude.ai")).body).toMatchObject({ people: [] });
  });
});

describe("the policy", () => {
  const change = (body: Record<string, unknown>, version: number, query = "") =>
    server.request("PATCH", `/app-policy${query}`, { body, version });

  test("says before which apps stop, and is part of the settings", async () => {
    const before = await policy();
    expect(before).toMatchObject({ trust: "listed", dynamicRegistration: false, asked: 0 });
    const version = before["version"] as number;
    const opened = await change({ trust: "any", dynamicRegistration: true }, version);
    expect(opened.body).toMatchObject({ trust: "any", dynamicRegistration: true, version: version + 1 });
    const apps = [
      await addApp("Claude Code", "claude.ai"),
      await addApp("Own app", "127.0.0.1", "dynamic_registration"),
    ];
    expect(await Promise.all(apps.map(isTrusted))).toEqual([true, true]);
    const closed = { trust: "off", dynamicRegistration: false };
    const preview = await change(closed, version + 1, "?preview=true");
    expect(notesOf(preview.body)).toEqual([
      expect.stringMatching(/^(Claude Code, Own app|Own app, Claude Code): would no longer get in\./),
    ]);
    expect(notesOf(preview.body)[0]).toMatch(/2 signed-in apps stop, until they are let in again\.$/);
    expect((await change(closed, version + 1)).status).toBe(200);
    expect(await Promise.all(apps.map(isTrusted))).toEqual([false, false]);
    expect((await server.audit("installation.changed")).at(-1)?.data).toEqual({
      appTrust: { from: "any", to: "off" },
      dynamicRegistration: { from: true, to: false },
    });
    const stale = await change({ trust: "any" }, version);
    expect([stale.status, stale.body["error"]]).toEqual([412, "version_conflict"]);
  });

  test.each([{ trust: "all" }, { dynamicRegistration: "yes" }, { hosts: [] }])(
    "is refused with %j",
    async (body) => {
      const { version } = await policy();
      expect((await change(body, version as number)).status).toBe(400);
    },
  );
});
