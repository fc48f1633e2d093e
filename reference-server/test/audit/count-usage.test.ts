import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { indexEvents } from "../../src/audit/index-events.js";
import { createSealer } from "../../src/audit/sealer.js";
import { openStore, type OpenStore } from "../../src/store/store.js";
import { createUsageStore } from "../../src/store/usage.js";
import { testConnector } from "../support/connectors.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { openExplainedDatabase } from "../support/explain.js";
import { resourceRecord } from "../support/records.js";
import { eventKey, stampEvent } from "../support/stamp.js";

const sealKey = Buffer.alloc(32, 9);
const log = { info: () => undefined, warn: () => undefined };
const day = { unit: "day", from: new Date("2026-11-01T00:00:00Z") } as const;
const contracts = "https://contracts.acme.example/api";

let database: TestDatabase;
/** Two processes on one database. */
let stores: readonly OpenStore[];

beforeAll(async () => {
  database = await createTestDatabase();
  stores = [1, 2].map(() => openStore({ postgresUrl: database.url, stampEvent }));
  const [store] = stores;
  await store?.resources.save(resourceRecord({ id: randomUUID(), resource: contracts }), new Date());
  await store?.connectors.save(testConnector({ key: "github", requiredScopes: [] }), new Date());
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await database.drop();
});

function first(): OpenStore {
  const [store] = stores;
  if (store === undefined) throw new Error("There is no store.");
  return store;
}

async function record(
  events: readonly {
    readonly type: string;
    readonly outcome?: string;
    readonly client?: string | null;
    readonly data?: object;
  }[],
  {
    at = "2026-11-20T12:10:00Z",
    subject = "ada",
  }: { readonly at?: string; readonly subject?: string | null } = {},
): Promise<void> {
  for (const { type, outcome = "success", client = "claude", data = {} } of events) {
    await database.query(
      `INSERT INTO audit_events (at, type, version, outcome, actor_type, actor_id, subject, client_id, data)
      VALUES ($1, $2, 1, $3, 'client', $5, $4, $5, $6)`,
      [at, type, outcome, subject, client, JSON.stringify(data)],
    );
  }
  const openSealKey = async () => sealKey;
  await createSealer({ store: first(), openSealKey, eventKey, clock: Date.now, log }).run();
}

async function indexAll(): Promise<void> {
  while ((await indexEvents(first())) !== 0);
}

/** What is stored for one app, as short as it can be said. */
async function countsOf(clientId: string) {
  const rows = await first().usage.top("resource", { ...day, limit: 10 }, { clientId });
  return rows.map(({ kind, key, issued, called, denied, failed }) => [
    `${kind} ${key}`.trim(),
    issued,
    called,
    denied,
    failed,
  ]);
}

test.each([
  {
    name: "an identity assertion",
    type: "assertion.issued",
    data: { resource: contracts },
    counted: ["service contracts", 1, 0, 0, 0],
  },
  {
    name: "a token for a service",
    type: "token.issued",
    data: { resource: contracts },
    counted: ["service contracts", 1, 0, 0, 0],
  },
  {
    name: "a token of a machine",
    type: "machine_token.issued",
    data: { resource: contracts },
    counted: ["service contracts", 1, 0, 0, 0],
  },
  {
    name: "a call of a service, named by its key",
    type: "service.called",
    data: { resource: "contracts", status: 200 },
    counted: ["service contracts", 0, 1, 0, 0],
  },
  {
    name: "a call that the service failed at",
    type: "service.called",
    data: { resource: "contracts", status: 502 },
    counted: ["service contracts", 0, 1, 0, 1],
  },
  {
    name: "a call that the service refused",
    type: "service.called",
    data: { resource: "contracts", status: 403 },
    counted: ["service contracts", 0, 1, 0, 0],
  },
  {
    name: "a call that was not let through",
    type: "service.call_denied",
    outcome: "denied",
    data: { resource: "contracts" },
    counted: ["service contracts", 0, 0, 1, 0],
  },
  {
    name: "a request with a connection",
    type: "connection.used",
    data: { connector: "github", status: 200 },
    counted: ["connector github", 0, 1, 0, 0],
  },
  {
    name: "one that nobody answered",
    type: "connection.used",
    outcome: "failed",
    data: { connector: "github", status: null },
    counted: ["connector github", 0, 1, 0, 1],
  },
  {
    name: "one that was denied",
    type: "connection.denied",
    outcome: "denied",
    data: { connector: "github" },
    counted: ["connector github", 0, 0, 1, 0],
  },
  {
    name: "a refused token",
    type: "token.refused",
    outcome: "denied",
    data: { resource: contracts },
    counted: ["service contracts", 0, 0, 1, 0],
  },
  {
    name: "a token that could not be issued now",
    type: "token.refused",
    outcome: "failed",
    data: { resource: contracts },
    counted: ["service contracts", 0, 0, 0, 1],
  },
  {
    name: "a refusal about a service that nobody registered",
    type: "token.refused",
    outcome: "denied",
    data: { resource: "https://a.example" },
    counted: ["none", 0, 0, 1, 0],
  },
  {
    name: "refusals that were added up",
    type: "events.counted",
    outcome: "denied",
    data: { event: "connection.denied", connector: "github", count: 70 },
    counted: ["connector github", 0, 0, 70, 0],
  },
  { name: "a token for this server itself", type: "token.issued", data: {}, counted: undefined },
  {
    name: "sign-ins that were refused and added up",
    type: "events.counted",
    outcome: "denied",
    data: { event: "sign_in.refused", count: 7 },
    counted: undefined,
  },
  { name: "a changed service", type: "resource.changed", data: { key: "contracts" }, counted: undefined },
])("$name counts as what it is", async ({ name, type, outcome, data, counted }) => {
  await record([{ type, client: name, data, ...(outcome !== undefined && { outcome }) }]);
  await indexAll();
  expect(await countsOf(name)).toEqual(counted === undefined ? [] : [counted]);
});

test("hours and days are those of UTC, and a machine has no person", async () => {
  const data = { resource: contracts };
  const use = [{ type: "assertion.issued", client: "clock", data }];
  await record(use, { at: "2026-11-19T23:59:59.999999Z" });
  await record(use, { at: "2026-11-20T00:00:00Z" });
  await record([{ type: "machine_token.issued", client: "clock", data }], {
    at: "2026-11-20T00:30:00Z",
    subject: null,
  });
  await indexAll();
  const numbers = { called: 0, denied: 0, failed: 0 };
  expect(await first().usage.series(day, { clientId: "clock" })).toEqual([
    { at: new Date("2026-11-19T00:00:00Z"), issued: 1, ...numbers },
    { at: new Date("2026-11-20T00:00:00Z"), issued: 2, ...numbers },
  ]);
  expect(await first().usage.series({ ...day, unit: "hour" }, { clientId: "clock", userId: "ada" })).toEqual([
    { at: new Date("2026-11-19T23:00:00Z"), issued: 1, ...numbers },
    { at: new Date("2026-11-20T00:00:00Z"), issued: 1, ...numbers },
  ]);
});

test("denials are grouped by person, permission and service, with the last one's reason", async () => {
  const denied = (scopes: readonly unknown[], reason: string) => ({
    type: "token.refused",
    outcome: "denied",
    client: "groups",
    data: { resource: contracts, scopes, reason },
  });
  await record([denied(["contracts:write"], "scope_not_assigned")], { at: "2026-11-18T09:00:00Z" });
  await record([denied(["contracts:write", "contracts:write"], "not_enabled")], {
    at: "2026-11-20T09:00:00Z",
  });
  // What cannot be a permission is none.
  await record([denied([`${"x".repeat(300)}:y`, 7, "no scope"], "malformed")], {
    at: "2026-11-20T08:00:00Z",
  });
  await indexAll();
  const found = await first().usage.denials({ ...day, limit: 10 }, { clientId: "groups" });
  const row = { userId: "ada", kind: "service", key: "contracts", clientId: "groups", total: 2 };
  expect(found).toEqual([
    {
      ...row,
      scope: "contracts:write",
      count: 2,
      lastAt: new Date("2026-11-20T09:00:00Z"),
      reason: "not_enabled",
    },
    { ...row, scope: "", count: 1, lastAt: new Date("2026-11-20T08:00:00Z"), reason: "malformed" },
  ]);
});

test("two processes count each event once, whichever is at it, also after one that ended in the middle", async () => {
  await database.query(`
    INSERT INTO audit_events (at, type, version, outcome, actor_type, actor_id, subject, client_id, data)
    SELECT timestamptz '2026-11-21' + n * interval '10 seconds',
      CASE n % 3 WHEN 0 THEN 'assertion.issued' WHEN 1 THEN 'token.refused' ELSE 'connection.used' END, 1,
      CASE n % 3 WHEN 1 THEN 'denied' ELSE 'success' END, 'client', 'app-' || n % 5, 'person-' || n % 40, 'app-' || n % 5,
      CASE n % 3 WHEN 2 THEN '{"connector":"github","status":200}'::jsonb
        ELSE jsonb_build_object('resource', '${contracts}', 'scopes', ARRAY['contracts:write']) END
    FROM generate_series(1, 4000) AS n`);
  const openSealKey = async () => sealKey;
  await createSealer({ store: first(), openSealKey, eventKey, clock: Date.now, log }).run();
  // The third statement of a batch fails once: nothing of that batch may stay.
  await database.query(`
    CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'The process ends here.'; END $$;
    CREATE TRIGGER fail_once BEFORE INSERT ON usage_denials FOR EACH STATEMENT EXECUTE FUNCTION fail_once()`);
  await expect(indexEvents(first())).rejects.toThrow("The process ends here.");
  await database.query("DROP TRIGGER fail_once ON usage_denials");
  let left = true;
  while (left) {
    const counted = await Promise.all(stores.map((store) => indexEvents(store)));
    left = counted.some((count) => count !== 0 && count !== undefined);
  }
  const real = await database.query(`
    SELECT client_id, subject AS user_id, count(*) FILTER (WHERE type = 'assertion.issued')::integer AS issued,
      count(*) FILTER (WHERE type = 'connection.used')::integer AS called,
      count(*) FILTER (WHERE outcome = 'denied')::integer AS denied
    FROM audit_events WHERE at >= '2026-11-21' GROUP BY 1, 2 ORDER BY 1, 2`);
  const sums =
    "sum(issued)::integer AS issued, sum(called)::integer AS called, sum(denied)::integer AS denied";
  for (const unit of ["hour", "day"]) {
    const counted = await database.query(
      `SELECT client_id, user_id, ${sums} FROM usage_people WHERE at >= '2026-11-21' AND unit = $1 GROUP BY 1, 2 ORDER BY 1, 2`,
      [unit],
    );
    expect(counted).toEqual(real);
  }
  const all = await first().usage.denials({ ...day, from: new Date("2026-11-21T00:00:00Z"), limit: 200 }, {});
  expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(1334);
});

test("what is asked about one app, service or person is read by its index", async () => {
  const units = "unnest(ARRAY['hour', 'day']) AS unit";
  const place = "unit, timestamptz '2026-09-01' + n % 80 * interval '1 day'";
  const names = "'app-' || n % 40, 'service', 'service-' || n % 60";
  await database.query(`
    INSERT INTO usage_counts SELECT ${place}, ${names}, 1, 0, 0, 0 FROM generate_series(1, 20000) n, ${units}
      ON CONFLICT DO NOTHING;
    INSERT INTO usage_people SELECT ${place}, 'person-' || n % 5000, ${names}, 1, 0, 0, 0
      FROM generate_series(1, 30000) n, ${units} ON CONFLICT DO NOTHING;
    INSERT INTO usage_denials SELECT ${place}, 'person-' || n % 5000, ${names}, 'area:write', 'r', 1, now()
      FROM generate_series(1, 20000) n, ${units} ON CONFLICT DO NOTHING;
    ANALYZE usage_counts, usage_people, usage_denials`);
  const explained = await openExplainedDatabase(database.url);
  const usage = createUsageStore(explained.database);
  const service = { target: { kind: "service", key: "service-7" } } as const;
  const list = { ...day, limit: 10 };
  for (const [ask, index] of [
    [() => usage.series(day, { clientId: "app-7" }), "usage_counts_client"],
    [() => usage.top("resource", list, { clientId: "app-7" }), "usage_counts_client"],
    [() => usage.series(day, service), "usage_counts_target"],
    [() => usage.top("client", list, service), "usage_counts_target"],
    [() => usage.series(day, { userId: "person-7" }), "usage_people_user"],
    [() => usage.top("resource", list, { userId: "person-7" }), "usage_people_user"],
    [() => usage.denials(list, { userId: "person-7" }), "usage_denials_user"],
    [() => usage.denials(list, { clientId: "app-7" }), "usage_denials_client"],
    [() => usage.denials(list, service), "usage_denials_target"],
  ] as const) {
    const plan = await explained.planOf(ask);
    expect(plan.map((step) => step.index)).toContain(index);
    expect(plan.filter(({ type }) => type === "Seq Scan")).toEqual([]);
  }
  await explained.close();
});
