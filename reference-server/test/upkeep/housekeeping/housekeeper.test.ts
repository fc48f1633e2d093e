import { randomBytes, randomUUID } from "node:crypto";
import { Client } from "pg";
import { beforeEach, describe, expect, test } from "vitest";
import {
  createHousekeeper,
  type Housekeeper,
  nextLimit,
  restAfter,
} from "../../../src/upkeep/housekeeping/housekeeper.js";
import { keepSeconds } from "../../../src/upkeep/housekeeping/retention.js";
import type { OpenStore } from "../../../src/store/store.js";
import type { TestDatabase } from "../../support/database.js";
import { withStore } from "../../support/store.js";

const now = new Date("2026-01-20T12:00:00Z");
const month = 30 * 24 * 3600;
let database: TestDatabase;
let store: OpenStore;
let userId: string;
let providerId: string;

withStore(
  "all",
  async (opened) => {
    ({ database, store } = opened);
    [userId, providerId] = [randomUUID(), randomUUID()];
    await database.query("INSERT INTO clients (id, name, redirect_uris) VALUES ('authz-cli', 'CLI', '{}')");
    await database.query("INSERT INTO users (id) VALUES ($1)", [userId]);
    await database.query(
      `INSERT INTO identity_providers (id, key, name, issuer, client_id, client_secret, scopes, allowed_email_domains)
     VALUES ($1, 'acme', 'Acme', 'https://idp.example', 'authz', '', '{}', '{}')`,
      [providerId],
    );
  },
  now,
);
beforeEach(async () => {
  const tables = ["consents", "grants", "refresh_tokens", "authorization_codes", "authorization_requests"];
  const more = ["sign_in_attempts", "sign_in_tests", "browser_sessions", "dpop_replays", "rate_limits"];
  await database.query(`TRUNCATE ${[...tables, ...more].join(", ")}`);
});

function ago(seconds: number): Date {
  return new Date(now.getTime() - seconds * 1000);
}

function housekeeper(log: Record<string, unknown>[] = []): Housekeeper {
  const write = (fields: Record<string, unknown>) => void log.push(fields);
  return createHousekeeper({
    store,
    everySeconds: 60,
    log: { debug: write, warn: write },
  });
}

async function count(table: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(`SELECT count(*)::integer AS count FROM ${table}`);
  return row?.count ?? 0;
}

async function insertGrant(grant: { expiresAt?: Date; revokedAt?: Date | null } = {}): Promise<string> {
  const id = randomUUID();
  const { expiresAt = ago(-month), revokedAt = null } = grant;
  await database.query(
    `INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at, revoked_at)
     VALUES ($1, $2, 'authz-cli', 'jkt', '{}', $3, '{}', $3, $4, $5)`,
    [id, userId, ago(2 * month), expiresAt, revokedAt],
  );
  return id;
}

async function insertToken(grantId: string, token: { expiresAt: Date; usedAt: Date | null }): Promise<void> {
  await database.query(
    "INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at, used_at) VALUES ($1, $2, $3, $4, $5)",
    [randomBytes(32), grantId, ago(month), token.expiresAt, token.usedAt],
  );
}

async function insertCode(code: { expiresAt: Date; usedAt?: Date; grantId?: string }): Promise<void> {
  await database.query(
    `INSERT INTO authorization_codes (hash, client_id, user_id, redirect_uri, scopes, code_challenge, dpop_jkt,
       auth_time, amr, created_at, expires_at, used_at, grant_id)
     VALUES ($1, 'authz-cli', $2, 'http://127.0.0.1/callback', '{}', 'c', 'jkt', $3, '{}', $3, $3, $4, $5)`,
    [randomBytes(32), userId, code.expiresAt, code.usedAt ?? null, code.grantId ?? null],
  );
}

describe("expired rows are removed, live ones stay:", () => {
  test.each([
    {
      table: "dpop_replays",
      insert: (at: Date) => database.query("INSERT INTO dpop_replays VALUES ($1, $2)", [randomUUID(), at]),
    },
    {
      table: "sign_in_attempts",
      insert: (at: Date) =>
        database.query(
          "INSERT INTO sign_in_attempts (state_hash, browser_hash, provider_id, created_at, expires_at) VALUES ($1, '', $2, $3, $3)",
          [randomBytes(32), providerId, at],
        ),
    },
    {
      table: "browser_sessions",
      insert: (at: Date) =>
        database.query(
          `INSERT INTO browser_sessions (id, token_hash, user_id, provider_id, auth_time, amr, signed_in_at, expires_at)
           VALUES ($1, $2, $3, $4, $5, '{}', $5, $5)`,
          [randomUUID(), randomBytes(32), userId, providerId, at],
        ),
    },
    {
      table: "authorization_requests",
      insert: (at: Date) =>
        database.query(
          `INSERT INTO authorization_requests (id, browser_hash, client_id, redirect_uri, scopes, code_challenge,
             dpop_jkt, prompts, created_at, expires_at) VALUES ($1, '', 'authz-cli', '', '{}', '', '', '{}', $2, $2)`,
          [randomUUID(), at],
        ),
    },
    {
      table: "rate_limits",
      insert: (at: Date) =>
        database.query("INSERT INTO rate_limits VALUES ('k', $1, 1)", [Math.floor(at.getTime() / 60_000)]),
    },
    { table: "authorization_codes", insert: (at: Date) => insertCode({ expiresAt: at }) },
  ])("$table", async ({ table, insert }) => {
    await insert(ago(400));
    await insert(ago(290));
    await insert(ago(-60));
    await housekeeper().run();
    expect(await count(table)).toBe(2);
  });
});

describe("records that detect a second use stay:", () => {
  test("a used code as long as its grant, and then goes with it", async () => {
    const live = await insertGrant();
    const over = await insertGrant({ expiresAt: ago(month + 60) });
    for (const grantId of [live, over]) {
      await insertCode({ expiresAt: ago(month), usedAt: ago(month), grantId });
    }
    await housekeeper().run();
    await housekeeper().run();
    expect(await database.query("SELECT grant_id FROM authorization_codes")).toEqual([{ grant_id: live }]);
  });

  test("a rotated refresh token until it would have expired", async () => {
    const grantId = await insertGrant();
    await insertToken(grantId, { expiresAt: ago(-60), usedAt: ago(month) });
    await insertToken(grantId, { expiresAt: ago(400), usedAt: ago(month) });
    await housekeeper().run();
    expect(await count("refresh_tokens")).toBe(1);
  });

  test("an accepted proof until no process can accept it, with any clock", () => {
    expect(keepSeconds.dpop_replays).toBeGreaterThanOrEqual(300);
  });
});

test("a grant that ended stays for a month, however it ended", async () => {
  const kept = [
    await insertGrant(),
    await insertGrant({ expiresAt: ago(month - 60) }),
    await insertGrant({ revokedAt: ago(month - 60) }),
  ];
  await insertGrant({ expiresAt: ago(month + 60) });
  await insertGrant({ revokedAt: ago(month + 60) });
  await housekeeper().run();
  const rows = await database.query<{ id: string }>("SELECT id FROM grants");
  expect(rows.map(({ id }) => id).sort()).toEqual(kept.sort());
});

test("a consent stays while a grant of it lives, and an hour for the first one to begin", async () => {
  const outcomes = [
    { name: "live", grant: {}, givenAt: ago(2 * month) },
    { name: "expired", grant: { expiresAt: ago(1) }, givenAt: ago(2 * month) },
    { name: "revoked", grant: { revokedAt: ago(1) }, givenAt: ago(2 * month) },
    { name: "given just now", grant: undefined, givenAt: ago(3500) },
    { name: "never used", grant: undefined, givenAt: ago(3700) },
  ];
  for (const { name, grant, givenAt } of outcomes) {
    const id = randomUUID();
    await database.query(
      `INSERT INTO resources (id, key, name, resource, authorization_server, client_id, request_prefixes)
       VALUES ($1, $2, $3, $2, '', '', '{}')`,
      [id, name.replaceAll(" ", "-"), name],
    );
    await database.query("INSERT INTO consents VALUES ($1, 'authz-cli', $2, '{}', '', $3)", [
      userId,
      id,
      givenAt,
    ]);
    if (grant !== undefined)
      await database.query("UPDATE grants SET resource_id = $1 WHERE id = $2", [
        id,
        await insertGrant(grant),
      ]);
  }
  await housekeeper().run();
  const left = await database.query<{ name: string }>(
    "SELECT r.name FROM consents c JOIN resources r ON r.id = c.resource_id ORDER BY r.name",
  );
  expect(left.map(({ name }) => name)).toEqual(["given just now", "live"]);
});

test("many rows go in batches; the figures say how many", async () => {
  await database.query("INSERT INTO dpop_replays SELECT 'k' || n, $1 FROM generate_series(1, 3500) AS n", [
    ago(1000),
  ]);
  const log: Record<string, unknown>[] = [];
  const keeper = housekeeper(log);
  await keeper.run();
  expect(await count("dpop_replays")).toBe(0);
  expect(keeper.removed()).toMatchObject({ dpop_replays: 3500, refresh_tokens: 0 });
  expect(log).toEqual([{ code: "HOUSEKEEPING_REMOVED", dpop_replays: 3500 }]);
});

test("steps are as large as the database takes them, and the rest after each is longer than the step", async () => {
  await database.query("INSERT INTO dpop_replays SELECT 'k' || n, $1 FROM generate_series(1, 900) AS n", [
    ago(1000),
  ]);
  await insertGrant({ revokedAt: ago(2 * month) });
  const seen: string[] = [];
  let time = 0;
  const keeper = createHousekeeper({
    store: {
      ...store,
      expiredRecords: {
        async remove(kind, batch) {
          if (kind === "dpop_replays") seen.push(`at most ${batch.limit}`);
          time += kind === "dpop_replays" ? (seen.length < 3 ? 20 : 160) : 1;
          return await store.expiredRecords.remove(kind, batch);
        },
      },
    },
    everySeconds: 60,
    log: { debug: () => undefined, warn: () => undefined },
    stopwatch: () => time,
    rest: async (milliseconds) => void seen.push(`rest ${milliseconds}`),
  });
  await keeper.run();
  expect(seen.slice(0, 6)).toEqual([
    "at most 200",
    "rest 60",
    "at most 400",
    "rest 480",
    "at most 200",
    "rest 480",
  ]);
  expect(keeper.removed()).toMatchObject({ dpop_replays: 900, revoked_grants: 1 });
});

test("many rows of one kind do not delay the other kinds", async () => {
  const turns: string[] = [];
  const left = { authorization_codes: 60, dpop_replays: 1 } as Record<string, number>;
  const keeper = createHousekeeper({
    store: {
      exclusively: (_task, work) => work(),
      expiredRecords: {
        async remove(kind, { limit }) {
          const steps = left[kind] ?? 0;
          left[kind] = Math.max(steps - 1, 0);
          if (steps > 0) turns.push(kind);
          return steps > 0 ? limit : 0;
        },
      },
    },
    everySeconds: 60,
    log: { debug: () => undefined, warn: () => undefined },
    rest: async () => undefined,
  });
  await keeper.run();
  expect(turns).toHaveLength(61);
  expect(turns.indexOf("dpop_replays")).toBeLessThan(60);
});

test("a process that stops does not wait for the end of a rest", async () => {
  await database.query("INSERT INTO dpop_replays SELECT 'k' || n, $1 FROM generate_series(1, 250) AS n", [
    ago(1000),
  ]);
  const stopping = new AbortController();
  let rests = 0;
  const keeper = createHousekeeper({
    store,
    everySeconds: 60,
    log: { debug: () => undefined, warn: () => undefined },
    rest: async () => {
      rests += 1;
      stopping.abort();
    },
  });
  await keeper.run(stopping.signal);
  expect(rests).toBe(1);
  expect(await count("dpop_replays")).toBe(50);
});

test("a round ends early when the process stops", async () => {
  await database.query("INSERT INTO dpop_replays VALUES ('k', $1)", [ago(1000)]);
  const stopping = new AbortController();
  stopping.abort();
  await housekeeper().run(stopping.signal);
  expect(await count("dpop_replays")).toBe(1);
});

test("one process at a time does it; the others go on with their work", async () => {
  await database.query("INSERT INTO dpop_replays VALUES ('k', $1)", [ago(1000)]);
  let finish: () => void = () => undefined;
  const busy = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const started = new Promise<void>((entered) => {
    void store.exclusively("housekeeping", async () => {
      entered();
      await busy;
    });
  });
  await started;
  await housekeeper().run();
  expect(await count("dpop_replays")).toBe(1);
  finish();
});

test("a locked row is skipped without waiting", async () => {
  const used = await insertGrant({ revokedAt: ago(2 * month) });
  await insertGrant({ revokedAt: ago(2 * month) });
  const somebody = new Client({ connectionString: database.url });
  await somebody.connect();
  await somebody.query("BEGIN");
  await somebody.query("SELECT FROM grants WHERE id = $1 FOR UPDATE", [used]);
  await housekeeper().run();
  expect(await count("grants")).toBe(1);
  await somebody.query("COMMIT");
  await somebody.end();
  await housekeeper().run();
  expect(await count("grants")).toBe(0);
});

describe("an unused client without a registration", () => {
  const day = 24 * 3600;
  beforeEach(() => database.query("DELETE FROM clients WHERE source <> 'registered'"));

  async function insertClient(
    source: "metadata_document" | "dynamic_registration",
    client: { createdAt: Date; fetchedAt?: Date; enabled?: boolean; limited?: boolean },
  ): Promise<string> {
    const id = source === "metadata_document" ? `https://apps.example/${randomUUID()}` : randomUUID();
    const { createdAt, fetchedAt = createdAt, enabled = true, limited = false } = client;
    await database.query(
      `INSERT INTO clients (id, name, redirect_uris, source, created_at, enabled, limited)
       VALUES ($1, 'App', '{}', $2, $3, $4, $5)`,
      [id, source, createdAt, enabled, limited],
    );
    if (source === "metadata_document")
      await database.query("INSERT INTO client_documents VALUES ($1, 'apps.example', '', NULL, $2, $2, $2)", [
        id,
        fetchedAt,
      ]);
    return id;
  }

  async function use(id: string, grant: Parameters<typeof insertGrant>[0] = {}): Promise<void> {
    await database.query("UPDATE grants SET client_id = $1 WHERE id = $2", [id, await insertGrant(grant)]);
  }

  async function left(): Promise<readonly string[]> {
    const rows = await database.query<{ id: string }>("SELECT id FROM clients WHERE source <> 'registered'");
    return rows.map(({ id }) => id).sort();
  }

  test("by a document goes after a week, unless an administrator has changed it", async () => {
    const source = "metadata_document";
    const old = { createdAt: ago(8 * day) };
    const inUse = await insertClient(source, old);
    await use(inUse);
    const kept = [
      inUse,
      await insertClient(source, { createdAt: ago(6 * day) }),
      await insertClient(source, { ...old, fetchedAt: ago(6 * day) }),
      await insertClient(source, { ...old, enabled: false }),
      await insertClient(source, { ...old, limited: true }),
    ];
    await insertClient(source, old);
    await housekeeper().run();
    expect(await left()).toEqual(kept.sort());
    expect(await count("client_documents")).toBe(kept.length);
  });

  test("by registering itself goes after thirty days", async () => {
    const source = "dynamic_registration";
    const old = { createdAt: ago(31 * day) };
    const [live, over] = [await insertClient(source, old), await insertClient(source, old)];
    await use(live);
    await use(over, { revokedAt: ago(29 * day) });
    const kept = [live, over, await insertClient(source, { createdAt: ago(29 * day) })];
    await insertClient(source, old);
    await insertClient(source, { ...old, enabled: false });
    await housekeeper().run();
    expect(await left()).toEqual(kept.sort());
    await database.query("UPDATE grants SET revoked_at = $1 WHERE client_id = $2", [ago(31 * day), over]);
    await housekeeper().run();
    await housekeeper().run();
    expect(await left()).toEqual(kept.filter((id) => id !== over).sort());
  });

  test("requests for apps are removed after ninety days", async () => {
    const insert = (host: string, at: Date) =>
      database.query("INSERT INTO app_requests VALUES ($1, $2, 'c', $3)", [host, userId, at]);
    await insert("old.example", ago(91 * day));
    await insert("new.example", ago(89 * day));
    await housekeeper().run();
    expect(await database.query("SELECT host FROM app_requests")).toEqual([{ host: "new.example" }]);
  });
});

test.each([
  { name: "grows where it is quick, but at most doubles", step: { limit: 200, milliseconds: 1 }, next: 400 },
  { name: "stays where it takes its time", step: { limit: 400, milliseconds: 40 }, next: 400 },
  { name: "shrinks where it takes longer", step: { limit: 800, milliseconds: 80 }, next: 400 },
  { name: "never ends", step: { limit: 400, milliseconds: 15_000 }, next: 200 },
  { name: "is bounded", step: { limit: 1_000, milliseconds: 0 }, next: 1_000 },
])("a step $name", ({ step, next }) => {
  expect(nextLimit(step)).toBe(next);
});

test.each([
  { milliseconds: 0, rest: 0 },
  { milliseconds: 20, rest: 60 },
  { milliseconds: 500, rest: 1_500 },
  { milliseconds: 15_000, rest: 2_000 },
])("after $milliseconds ms the others have $rest", ({ milliseconds, rest }) => {
  expect(restAfter({ milliseconds })).toBe(rest);
});
