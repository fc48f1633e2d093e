import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { appHostRules } from "../../src/objects/app-host.js";
import { removeAppHost, saveAppHost } from "../../src/registry/app-host.js";
import { saveSettings } from "../../src/registry/settings.js";
import type { RegistryChange, Work } from "../../src/registry/work.js";
import { type Client, registeredClient } from "../../src/store/clients.js";
import type { AppTrust } from "../../src/store/settings.js";
import { createTestServer, type TestServer } from "../support/server.js";

let server: TestServer;
beforeAll(async () => (server = await createTestServer()));
afterAll(() => server.close());
beforeEach(() =>
  server.database.query("TRUNCATE app_hosts, app_requests; DELETE FROM clients WHERE source <> 'registered'"),
);

async function change(work: (context: Work) => Promise<void>): Promise<readonly RegistryChange[]> {
  const { store, credentials } = server.context;
  const changes: RegistryChange[] = [];
  await store.transaction((tx) =>
    work({
      store: tx,
      credentials,
      at: new Date(server.clock()),
      audit: async (made) => void changes.push(made),
      auditAll: async (made) => void changes.push(...made),
    }),
  );
  return changes;
}

const decide = (host: string, allowed: boolean) =>
  change(async (work) => {
    const before = await work.store.appHosts.describe(host);
    await saveAppHost({ before, after: { host, name: "Apps", allowed } }, work);
  });

async function addClient(source: Client["source"], place: string): Promise<string> {
  const { store } = server.context;
  const at = new Date(server.clock());
  const id = source === "metadata_document" ? `https://${place}/app.json` : randomUUID();
  const redirectUris = source === "metadata_document" ? ["http://localhost/callback"] : [place];
  await store.clients.save(
    {
      ...registeredClient,
      id,
      source,
      name: "App",
      type: "public",
      keys: [],
      redirectUris,
      dpopBound: false,
      builtIn: false,
      enabled: true,
    },
    at,
  );
  const document = { clientId: id, host: place, digest: Buffer.alloc(32), etag: null };
  if (source === "metadata_document")
    await store.clientDocuments.save({ ...document, fetchedAt: at, freshUntil: at, countsUntil: at });
  await store.clients.judgeTrust(at);
  return id;
}

const isTrusted = async (id: string) => (await server.context.store.clients.find(id))?.trusted;

describe("a host is where clients may come from", () => {
  test.each<{ appTrust: AppTrust; decided: boolean | undefined; allowed: boolean }>([
    { appTrust: "off", decided: undefined, allowed: false },
    { appTrust: "off", decided: true, allowed: false },
    { appTrust: "off", decided: false, allowed: false },
    { appTrust: "listed", decided: undefined, allowed: false },
    { appTrust: "listed", decided: true, allowed: true },
    { appTrust: "listed", decided: false, allowed: false },
    { appTrust: "any", decided: undefined, allowed: true },
    { appTrust: "any", decided: true, allowed: true },
    { appTrust: "any", decided: false, allowed: false },
  ])("$appTrust, decided $decided: $allowed", async ({ appTrust, decided, allowed }) => {
    const id = await addClient("metadata_document", "apps.example");
    await change((work) => saveSettings({ appTrust, dynamicRegistration: true }, work));
    if (decided !== undefined) await decide("apps.example", decided);
    const { store } = server.context;
    expect(await store.appHosts.judge("apps.example")).toEqual({ allowed, trust: appTrust });
    expect(await isTrusted(id)).toBe(allowed);
  });

  test("one that loses it takes its clients along at once, and only its own, and may come back", async () => {
    await change((work) => saveSettings({ appTrust: "listed" }, work));
    await decide("apps.example", true);
    await decide("other.example", true);
    const [app, other] = [
      await addClient("metadata_document", "apps.example"),
      await addClient("metadata_document", "other.example"),
    ];
    const changes = await change(async (work) =>
      removeAppHost({ host: "apps.example", name: "Apps", allowed: true }, work),
    );
    expect(changes).toEqual([
      { type: "app_host.changed", data: { host: "apps.example", allowed: { from: true, to: null } } },
    ]);
    expect([await isTrusted(app), await isTrusted(other)]).toEqual([false, true]);
    await decide("apps.example", true);
    expect(await isTrusted(app)).toBe(true);
  });

  test.each([
    "https:evil.example/cb",
    "https:/evil.example/cb",
    "http://evil.example/cb",
    "example.evil:/cb",
  ])("an app that registered itself with %s is not trusted", async (redirectUri) => {
    await change((work) => saveSettings({ dynamicRegistration: true }, work));
    expect(await isTrusted(await addClient("dynamic_registration", redirectUri))).toBe(false);
  });

  test("an app that registered itself goes with the setting, and with the hosts it redirects to", async () => {
    await change((work) => saveSettings({ dynamicRegistration: true }, work));
    await decide("apps.example", true);
    const onHost = await addClient("dynamic_registration", "https://apps.example/callback");
    const here = await addClient("dynamic_registration", "http://127.0.0.1/callback");
    expect([await isTrusted(onHost), await isTrusted(here)]).toEqual([true, true]);
    await decide("apps.example", false);
    expect([await isTrusted(onHost), await isTrusted(here)]).toEqual([false, true]);
    const changes = await change((work) => saveSettings({ dynamicRegistration: false }, work));
    expect(changes).toEqual([
      { type: "installation.changed", data: { dynamicRegistration: { from: true, to: false } } },
    ]);
    expect([await isTrusted(onHost), await isTrusted(here)]).toEqual([false, false]);
    expect(await isTrusted("authz-cli")).toBe(true);
  });
});

test.each([
  { host: "claude.ai", good: true },
  { host: "apps.example:8443", good: true },
  { host: "xn--pple-43d.example", good: true },
  { host: "[2001:db8::1]", good: true },
  { host: "Claude.ai", good: false },
  { host: "claude.ai:443", good: false },
  { host: "claude.ai/", good: false },
  { host: "a@claude.ai", good: false },
  { host: "аpple.example", good: false },
  { host: "https://claude.ai", good: false },
  { host: "", good: false },
])("$host can be decided about: $good", ({ host, good }) => {
  expect(appHostRules.shape.host.safeParse(host).success).toBe(good);
});

describe("who asked", () => {
  const [ada, bruno] = [randomUUID(), randomUUID()];
  const page = { limit: 10, sort: "people", descending: true, after: undefined, q: undefined } as const;
  beforeAll(async () => {
    for (const [name, id] of Object.entries({ ada, bruno }))
      await server.database.query("INSERT INTO users (id, email) VALUES ($1, $2)", [
        id,
        `${name}@acme.example`,
      ]);
  });
  const ask = (userId: string, host: string) =>
    server.context.store.appRequests.add({
      host,
      userId,
      clientId: `https://${host}/app.json`,
      askedAt: new Date(server.clock()),
    });

  test("is counted once per person and host, until somebody decides", async () => {
    const { appHosts, appRequests } = server.context.store;
    expect(await ask(ada, "apps.example")).toBe(true);
    expect(await ask(ada, "apps.example")).toBe(false);
    expect(await ask(bruno, "apps.example")).toBe(true);
    expect(await ask(ada, "other.example")).toBe(true);
    const { items } = await appRequests.listHosts(page);
    expect(items.map(({ host, people }) => [host, people])).toEqual([
      ["apps.example", 2],
      ["other.example", 1],
    ]);
    expect(await appRequests.listPeople("apps.example", 10)).toMatchObject([
      { clientId: "https://apps.example/app.json" },
      { clientId: "https://apps.example/app.json" },
    ]);

    await decide("other.example", false);
    expect(await appHosts.describe("other.example")).toMatchObject({
      allowed: false,
      clients: 0,
      askedBy: 1,
    });
    await decide("apps.example", true);
    expect(await appHosts.describe("apps.example")).toMatchObject({ allowed: true, askedBy: 0 });
    expect(await appRequests.countHosts()).toBe(0);
  });

  test("cannot fill the list alone", async () => {
    for (let index = 0; index < 25; index += 1)
      expect(await ask(ada, `app-${index}.example`)).toBe(index < 20);
    expect(await ask(bruno, "app-24.example")).toBe(true);
  });
});
