import { describe, expect, test } from "vitest";
import { recordAudit } from "../../src/audit/record.js";
import { indexEvents } from "../../src/audit/index-events.js";
import { createSealer } from "../../src/audit/sealer.js";
import { searchAuditEvents } from "../../src/audit/search-events.js";
import { sampleStatement, wordStatement } from "../../src/store/audit-word-search.js";
import type { OpenStore } from "../../src/store/store.js";
import type { TestDatabase } from "../support/database.js";
import { createAuditSearchStore } from "../../src/store/audit-search.js";
import { explain, openExplainedDatabase } from "../support/explain.js";
import { eventKey } from "../support/stamp.js";
import { withStore } from "../support/store.js";

const sealKey = Buffer.alloc(32, 9);
const log = { info: () => undefined, warn: () => undefined };

let database: TestDatabase;
let store: OpenStore;

/** Eight thousand events that were stored before there was a search; one in a thousand is about "zebra". */
withStore("all", async (opened) => {
  ({ database, store } = opened);
  await database.query(`
    INSERT INTO users (id, email, name) VALUES ('7f9c24e8-3b12-4f5c-8a5e-1d2c3b4a5f60', 'ada@acme.example', 'Ada Lovelace');
    INSERT INTO audit_events (at, type, version, outcome, actor_type, actor_id, subject, client_id, request_id, data)
    SELECT timestamptz '2026-11-01T00:00:00Z' + n * interval '1 minute',
      CASE WHEN n % 2 = 0 THEN 'assertion.issued' ELSE 'token.refused' END, 1,
      CASE WHEN n % 2 = 0 THEN 'success' ELSE 'denied' END, 'user',
      CASE WHEN n % 100 = 0 THEN '7f9c24e8-3b12-4f5c-8a5e-1d2c3b4a5f60' ELSE gen_random_uuid()::text END,
      CASE WHEN n % 100 < 2 THEN 'person-' || n % 400 END, CASE WHEN n < 50 THEN 'nightly-report' ELSE 'authz-cli' END, 'request-' || n,
      jsonb_build_object('resource', 'https://service-' || n % 3 || '.acme.example/api',
        'reason', CASE WHEN n % 1000 = 7 THEN 'zebra_crossing' ELSE 'too_early' END)
    FROM generate_series(0, 7999) AS n`);
  const sealer = createSealer({ store, openSealKey: async () => sealKey, eventKey, clock: Date.now, log });
  await sealer.run();
});

async function find(q: string, filter: Parameters<typeof searchAuditEvents>[1] = {}): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const more = cursor === undefined ? {} : { cursor };
    const page = await searchAuditEvents(store, { q, limit: 200, ...filter, ...more });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return ids;
}

test("a trail that is older than the search is taken in from its beginning, by one process at a time", async () => {
  const results = await Promise.all([indexEvents(store), indexEvents(store)]);
  expect(results.filter((count) => count !== undefined)).toEqual([8_000]);
  expect(await indexEvents(store)).toBe(0);
  expect(await store.auditSearch.progress()).toEqual({
    throughEventId: "8000",
    throughAt: new Date("2026-11-06T13:19:00Z"),
  });
  await database.query("VACUUM ANALYZE");
});

test("counts are those of the events", async () => {
  const counted = await database.query(
    "SELECT hour, type, outcome, count::integer FROM audit_counts ORDER BY 1, 2, 3",
  );
  const real = await database.query(`
    SELECT date_trunc('hour', at, 'UTC') AS hour, type, outcome, count(*)::integer FROM audit_events
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`);
  expect(counted).toEqual(real);
  const resources = await store.auditSearch.topResources({ fromDay: "2026-11-01", limit: 2 });
  expect(resources).toEqual([
    { resource: "https://service-0.acme.example/api", count: 1334 },
    { resource: "https://service-1.acme.example/api", count: 1333 },
  ]);
  const days = await store.auditSearch.countIssuances({
    unit: "day",
    from: new Date("2026-11-06T00:00:00Z"),
  });
  expect(days).toEqual([{ at: new Date("2026-11-06T00:00:00Z"), issued: 400, denied: 400 }]);
});

test("what went through each app is counted by hour, and each of its people once", async () => {
  const from = new Date("2026-11-06T00:00:00Z");
  const [real] = await database.query<{ issued: number; denied: number; people: number }>(
    `SELECT count(*) FILTER (WHERE outcome = 'success')::integer AS issued,
      count(*) FILTER (WHERE outcome <> 'success')::integer AS denied, count(DISTINCT subject)::integer AS people
    FROM audit_events WHERE client_id = 'authz-cli' AND at >= $1`,
    [from],
  );
  expect(real).toEqual({ issued: 400, denied: 400, people: 8 });
  expect(await store.auditSearch.countClientUse({ clientId: "authz-cli", from })).toEqual(real);
  expect(await store.auditSearch.countClientUse({ clientId: "nobody", from })).toEqual({
    issued: 0,
    denied: 0,
    people: 0,
  });
  const all = await store.auditSearch.topClients({ from: new Date("2026-11-01T00:00:00Z"), limit: 5 });
  expect(all).toEqual([
    { clientId: "authz-cli", issued: 3975, denied: 3975, people: 8 },
    { clientId: "nightly-report", issued: 25, denied: 25, people: 2 },
  ]);
});

test("the counts of an app are read by an index", async () => {
  await database.query(`
    INSERT INTO audit_client_counts SELECT timestamptz '2020-01-01' + n * interval '1 hour', 'app-' || n % 500, 1, 0
    FROM generate_series(1, 20000) n;
    INSERT INTO audit_client_people SELECT 'app-' || n % 500, 'person-' || n, timestamptz '2020-01-01'
    FROM generate_series(1, 20000) n;
    ANALYZE audit_client_counts, audit_client_people`);
  const explained = await openExplainedDatabase(database.url);
  const auditSearch = createAuditSearchStore(explained.database);
  const from = new Date("2026-11-06T00:00:00Z");
  for (const [ask, indexes] of [
    [() => auditSearch.countClientUse({ clientId: "authz-cli", from }), ["audit_client_people_last_hour"]],
    [() => auditSearch.topClients({ from, limit: 5 }), ["audit_client_counts_hour"]],
  ] as const) {
    const plan = await explained.planOf(ask);
    expect(plan.map(({ index }) => index)).toEqual(expect.arrayContaining([...indexes]));
    expect(plan.filter(({ type }) => type === "Seq Scan")).toEqual([]);
  }
  await explained.close();
});

describe("words find", () => {
  test.each([
    { name: "what is rare", q: "zebra", filter: {}, total: 8 },
    { name: "what nearly every event has", q: "acme", filter: {}, total: 8_000 },
    { name: "nothing where nothing is", q: "unicorn", filter: {}, total: 0 },
    { name: "what is old and rare now", q: "nightly", filter: {}, total: 50 },
    { name: "people by a part of their address", q: "ada@acme", filter: {}, total: 80 },
    { name: "people by their name", q: "love ada", filter: {}, total: 80 },
    {
      name: "what is frequent enough to be among the newest",
      q: "love ada",
      filter: { limit: 50 },
      total: 80,
    },
    { name: "several words, a rare and a frequent one", q: "zebra acme.example", filter: {}, total: 8 },
    { name: "in a time", q: "zebra", filter: { until: new Date("2026-11-02T00:00:00Z") }, total: 2 },
    { name: "with a filter", q: "service-1", filter: { types: ["token.refused"] }, total: 1334 },
    { name: "with filters that leave few", q: "acme", filter: { clientId: "nightly-report" }, total: 50 },
  ])("$name, newest first, each event once", async ({ q, filter, total }) => {
    const found = await find(q, filter);
    expect(found).toHaveLength(total);
    expect(found).toEqual([...new Set(found)].toSorted((one, other) => Number(other) - Number(one)));
  });

  test("nothing in what is not sealed yet, and it all afterwards", async () => {
    const event = { type: "scope.created", outcome: "success", actor: { type: "operator" } } as const;
    const at = new Date("2026-11-20T12:00:00Z");
    await recordAudit(store, { ...event, at, data: { key: "walrus:read" } });
    await indexEvents(store);
    expect(await find("walrus")).toEqual([]);
    const openSealKey = async () => sealKey;
    await createSealer({ store, openSealKey, eventKey, clock: Date.now, log }).run();
    await indexEvents(store);
    expect(await find("walrus")).toHaveLength(1);
  });
});

describe("a service is found by its identifier and its key", () => {
  const resource = "https://service-1.acme.example/api";
  test.each([
    { name: "whatever happened there", filter: { service: { key: "one", resource } }, total: 2667 },
    {
      name: "of one type",
      filter: { service: { key: "one", resource }, types: ["token.refused"] },
      total: 1334,
    },
    {
      name: "in what is old",
      filter: { service: { key: "one", resource }, until: new Date("2026-11-01T01:00:00Z") },
      total: 20,
    },
    { name: "with words", filter: { service: { key: "one", resource }, q: "zebra" }, total: 3 },
    {
      name: "nothing of one that is gone",
      filter: { service: { key: "one", resource: undefined } },
      total: 0,
    },
  ])(
    "$name",
    async ({
      filter: { q = "", ...filter },
      total,
    }: {
      filter: Parameters<typeof searchAuditEvents>[1];
      total: number;
    }) => {
      expect(await find(q, filter)).toHaveLength(total);
    },
  );

  test("with what was changed about it", async () => {
    const event = { type: "resource.removed", outcome: "success", actor: { type: "operator" } } as const;
    const at = new Date("2026-11-20T12:00:00Z");
    await recordAudit(store, { ...event, at, data: { key: "one", resource: "https://gone.acme.example" } });
    expect(await find("", { service: { key: "one", resource: undefined } })).toHaveLength(1);
  });
});

describe("several filters without words", () => {
  test("find what no single index brings, and what is not indexed yet", async () => {
    const filter = { clientId: "nightly-report", outcome: "denied" } as const;
    expect(await find("", filter)).toHaveLength(25);
    const at = new Date("2026-11-21T12:00:00Z");
    await recordAudit(store, {
      type: "token.refused",
      outcome: "denied",
      actor: { type: "client", id: "nightly-report" },
      clientId: "nightly-report",
      at,
      data: { grantType: "client_credentials", grantId: null, error: "invalid_scope", reason: "unknown" },
    });
    expect(await find("", filter)).toHaveLength(26);
  });
});

describe("the database uses", () => {
  const numbered = (text: string) => {
    let count = 0;
    return text.replaceAll("?", () => `$${(count += 1)}`);
  };

  test("the index of words for what is rare", async () => {
    const { text, values } = wordStatement({ terms: ["zebra"], limit: 51 }, ["zebra"]);
    const plan = await explain(database.url, { text: numbered(text), values: values.map(String) });
    expect(plan.map(({ index }) => index)).toContain("audit_search_words");
    expect(plan.filter(({ type }) => type === "Seq Scan")).toEqual([]);
  });

  test("the index of time, and no more than the newest, for what is frequent", async () => {
    const { text, values } = sampleStatement({ terms: ["acme"], limit: 51 });
    const plan = await explain(database.url, { text: numbered(text), values: values.map(String) });
    expect(plan.map(({ index }) => index)).toContain("audit_events_at");
    expect(plan.filter(({ type, table }) => type === "Seq Scan" && table === "audit_events")).toEqual([]);
  });
});
