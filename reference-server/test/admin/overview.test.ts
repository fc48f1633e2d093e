import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Overview } from "../../src/admin/overview/schemas.js";
import { recordAudit } from "../../src/audit/record.js";
import { initialise } from "../../src/upkeep/start/initialise.js";
import { type AdminServer, createAdminServer } from "../support/admin.js";
import { connect, testConnector, testSealed } from "../support/connectors.js";
import { sealAndIndex } from "../support/audit-index.js";
import { resourceRecord } from "../support/records.js";

let server: AdminServer;
beforeAll(async () => {
  server = await createAdminServer();
  await initialise(server.context);
});
afterAll(() => server.close());

async function load(): Promise<Overview> {
  const { status, body } = await server.request("GET", "/overview");
  expect(status).toBe(200);
  return body as unknown as Overview;
}

test("an empty installation says what to do next, and shows empty hours and days", async () => {
  const overview = await load();
  expect(overview.hours).toHaveLength(24);
  expect(overview.hours.at(-1)).toEqual({ at: "2026-11-20T12:00:00.000Z", issued: 0, denied: 0 });
  expect(overview.days).toHaveLength(30);
  expect(overview.days[0]).toEqual({ at: "2026-10-22T00:00:00.000Z", issued: 0, denied: 0 });
  expect(overview).toMatchObject({ countedThrough: null, topResources: [], topSkills: [] });
  expect(overview.hints.map(({ id }) => id)).toEqual([
    "add_resource",
    "add_administrator",
    "name_installation",
  ]);
});

test("what happened is counted once it is sealed, exactly, and says up to when", async () => {
  const { store } = server.context;
  const resource = "https://contracts.acme.example/api";
  await store.resources.save(
    resourceRecord({ id: randomUUID(), resource, skillDiscovery: true }),
    new Date(server.clock()),
  );
  const event = { actor: { type: "client", id: "authz-cli" }, clientId: "authz-cli" } as const;
  for (const [hoursAgo, count] of [
    [0, 2],
    [3, 1],
    [30, 4],
  ] as const) {
    const at = new Date(server.clock() - hoursAgo * 3_600_000);
    const data = { grantId: "g", tokenId: "t", resource, scopes: [], jkt: null };
    for (let index = 0; index < count; index += 1) {
      await recordAudit(store, { ...event, type: "assertion.issued", outcome: "success", at, data });
    }
  }
  const at = new Date(server.clock());
  const refusal = { grantType: "refresh_token", grantId: null, error: "invalid_grant", reason: "expired" };
  await recordAudit(store, { ...event, type: "token.refused", outcome: "denied", at, data: refusal });
  await store.auditSearch.addSkillReads([
    { hour: new Date("2026-11-20T11:00:00Z"), skillId: "contracts.list", count: 5 },
    { hour: new Date("2026-09-01T11:00:00Z"), skillId: "contracts.old", count: 50 },
  ]);
  expect((await load()).hours.at(-1)).toMatchObject({ issued: 0 });

  await sealAndIndex(server.context);
  await sealAndIndex(server.context);
  const overview = await load();
  expect(overview.countedThrough).toBe("2026-11-20T12:00:00.000Z");
  expect(overview.hours.at(-1)).toMatchObject({ issued: 2, denied: 1 });
  expect(overview.hours.at(-4)).toMatchObject({ issued: 1, denied: 0 });
  expect(overview.days.slice(-2).map(({ issued }) => issued)).toEqual([4, 3]);
  expect(overview.topResources).toEqual([{ key: "contracts", name: "Contracts", resource, issued: 7 }]);
  expect(overview.topClients).toEqual([
    { id: "authz-cli", name: "Authz command line", host: null, issued: 7, denied: 1, people: 0 },
  ]);
  expect(overview.topSkills).toEqual([{ publishedId: "contracts.list", reads: 5 }]);
});

test("catalogs that cannot be fetched and keys that are old are named", async () => {
  const { store } = server.context;
  const contracts = await store.resources.findByKey("contracts");
  const at = new Date(server.clock());
  await store.skillCatalogs.saveFailure({
    resourceId: contracts?.id ?? "",
    failure: "It is away.",
    at,
    refreshAt: at,
  });
  await server.database.query("UPDATE signing_keys SET activated_at = activated_at - interval '200 days'");
  const overview = await load();
  expect(overview.catalogs).toMatchObject({
    total: 1,
    failed: 1,
    problems: [{ resourceKey: "contracts", error: "It is away." }],
  });
  expect(overview.signingKeys.active?.advice?.code).toBe("rotation_overdue");
  expect(overview.signingKeys.needingAttention).toHaveLength(1);
  expect(overview.installation).toMatchObject({ people: 1, resources: 1, identityProviders: 1 });
  expect(overview.hints.map(({ id }) => id)).toEqual([
    "rotate_signing_key",
    "repair_catalogs",
    "assign_scopes",
    "add_administrator",
    "name_installation",
  ]);
});

test("a missing key of connectors is named, and connectors whose accounts no longer work", async () => {
  const { store } = server.context;
  const at = new Date(server.clock());
  const connector = testConnector({ clientSecret: testSealed() });
  await store.connectors.save(connector, at);
  const { id: connectorId } = connector;
  await connect(store, { connectorId, userId: server.ada.user.id, now: at, credentials: testSealed() });
  const connectorHints = async () =>
    (await load()).hints.filter(({ id }) => id.includes("connector")).map(({ id, target }) => [id, target]);
  const missing = ["restore_connector_key", "/connector-keys"];
  expect(await connectorHints()).toEqual([missing]);
  await store.connections.requireReconnectOfAll({ connectorId, reason: "client_changed" });
  expect(await connectorHints()).toEqual([missing, ["repair_connectors", "/connectors"]]);
  await store.connectors.save({ ...connector, enabled: false }, at);
  expect(await connectorHints()).toEqual([missing]);
});
