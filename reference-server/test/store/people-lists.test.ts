import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PagePosition } from "../../src/store/page.js";
import { createClientStore } from "../../src/store/clients.js";
import { createBrowserSessionStore } from "../../src/store/browser-sessions.js";
import { createGrantStore } from "../../src/store/grants.js";
import { createGroupProviderStore } from "../../src/store/group-providers.js";
import { createPermissionHolderStore } from "../../src/store/permission-holders.js";
import { createAccessListStore } from "../../src/store/access-lists.js";
import { createUserStore } from "../../src/store/users.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { type ExplainedDatabase, openExplainedDatabase } from "../support/explain.js";

const now = new Date("2026-11-20T12:00:00Z");
const userId = "00000000-0000-4000-8000-000000000007";
const firstPage = { limit: 50, after: undefined, q: undefined, descending: false };
const everybody = { ...firstPage, enabled: undefined, now };

let file: TestDatabase;
let explained: ExplainedDatabase;
let database: ExplainedDatabase["database"];

/** Ten thousand people, many of them in one of a thousand groups, each signed in in a browser and on a device; a thousand clients. */
beforeAll(async () => {
  file = await createTestDatabase();
  const id = "('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid";
  const at = "timestamptz '2026-11-20' + n * interval '1 second'";
  const until = "timestamptz '2026-12-20'";
  await file.query(`
    SET session_replication_role = replica;
    INSERT INTO identity_providers (id, key, name, issuer, client_id, client_secret, scopes, allowed_email_domains)
      SELECT ${id}, 'p' || n, 'Provider ' || n, 'https://p', 'c', '', '{}', '{}' FROM generate_series(1, 5) n;
    INSERT INTO group_providers (id, key, name, type, identity_provider_id)
      SELECT ${id}, 'g' || n, 'Groups ' || n, 'claim', ${id} FROM generate_series(1, 5) n;
    INSERT INTO users (id, email, name, last_signed_in_at, created_at)
      SELECT ${id}, 'person' || n || '@acme.example', CASE n % 10 WHEN 0 THEN NULL ELSE 'Vorname' || n || ' Ümit' || n % 100 END,
        CASE n % 7 WHEN 0 THEN NULL ELSE ${at} END, ${at} FROM generate_series(1, 10000) n;
    INSERT INTO clients (id, name, redirect_uris) SELECT 'client-' || n, 'Portal ' || n, '{}' FROM generate_series(1, 1000) n;
    INSERT INTO browser_sessions (id, token_hash, user_id, provider_id, auth_time, amr, signed_in_at, expires_at)
      SELECT gen_random_uuid(), sha256(n::text::bytea), ${id},
        ('00000000-0000-4000-8000-' || lpad((n % 5 + 1)::text, 12, '0'))::uuid, now(), '{}', ${at}, ${until}
      FROM generate_series(1, 5000) n;
    INSERT INTO resources (id, key, name, resource, authorization_server, client_id, request_prefixes, covers)
      SELECT ${id}, 'service-' || n, 'Service ' || n, 'https://s' || n, '', '', '{}', '{}' FROM generate_series(1, 2000) n;
    INSERT INTO grants (id, user_id, client_id, jkt, resource_id, scopes, auth_time, amr, created_at, expires_at,
      status_index)
      SELECT gen_random_uuid(), ${id}, 'client-' || n % 1000 + 1, '',
        CASE WHEN n % 2 = 0 THEN ('00000000-0000-4000-8000-' || lpad((n % 100 + 1)::text, 12, '0'))::uuid END,
        '{}', now(), '{}', ${at}, ${until}, n FROM generate_series(1, 5000) n;
    INSERT INTO refresh_tokens (hash, grant_id, created_at, expires_at)
      SELECT sha256((g.id::text || n)::bytea), g.id, g.created_at + n * interval '5 minutes', timestamptz '2026-12-20'
      FROM grants g, generate_series(1, 3) n;
    INSERT INTO scopes (key, description) SELECT 'scope:' || n, '' FROM generate_series(1, 100) n;
    INSERT INTO machine_scopes SELECT 'client-' || n, 'scope:' || n % 100 + 1 FROM generate_series(1, 1000) n;
    INSERT INTO client_scopes SELECT 'client-' || n, 'scope:' || n % 100 + 1 FROM generate_series(1, 1000) n;
    INSERT INTO assignments (id, group_provider_id, group_key, scope_key) SELECT gen_random_uuid(),
      ('00000000-0000-4000-8000-' || lpad((n % 5 + 1)::text, 12, '0'))::uuid, 'assigned-' || n, 'scope:' || n % 100 + 1
      FROM generate_series(1, 1000) n;
    INSERT INTO assignments (id, email, scope_key)
      SELECT gen_random_uuid(), 'person' || n || '@acme.example', 'scope:1' FROM generate_series(1, 10000) n;
    INSERT INTO user_groups (user_id, provider_id, groups, signed_in_at, expires_at) SELECT ${id}, ('00000000-0000-4000-8000-' || lpad((n % 5 + 1)::text, 12, '0'))::uuid,
      ARRAY['everybody', 'team-' || n % 1000], ${at}, ${until} FROM generate_series(1, 5000) n WHERE n % 1000 <> 777;
    -- What the triggers would write, faster; those of one team are left to them.
    INSERT INTO known_groups SELECT provider_id, key, now() FROM user_groups, unnest(groups) AS key GROUP BY 1, 2;
    INSERT INTO known_groups SELECT group_provider_id, group_key, 'infinity' FROM assignments WHERE group_key IS NOT NULL;
    SET session_replication_role = origin;
    INSERT INTO user_groups (user_id, provider_id, groups, signed_in_at, expires_at) SELECT ${id}, ('00000000-0000-4000-8000-' || lpad((n % 5 + 1)::text, 12, '0'))::uuid,
      ARRAY['everybody', 'team-' || n % 1000], ${at}, ${until} FROM generate_series(1, 5000) n WHERE n % 1000 = 777;
    ANALYZE`);
  // As housekeeping of the database would: an index that has all that is asked for does without the table.
  await file.query("VACUUM grants");
  explained = await openExplainedDatabase(file.url);
  ({ database } = explained);
});
afterAll(async () => {
  await explained.close();
  await file.drop();
});

const users = () => createUserStore(database);
const sessions = () => createBrowserSessionStore(database);
const grants = () => createGrantStore(database);
const groups = () => createGroupProviderStore(database);
const clients = () => createClientStore(database);
const holders = () => createPermissionHolderStore(database);
const access = () => createAccessListStore(database);
const newest = { ...firstPage, now, descending: true };
const ofSessions = { ...newest, sort: "signedInAt", userId: undefined, provider: undefined } as const;
const ofGrants = {
  ...newest,
  sort: "createdAt",
  userId: undefined,
  clientId: undefined,
  service: undefined,
  state: undefined,
} as const;
const ofGroups = { ...everybody, sort: "key", provider: undefined } as const;
const ofClients = { ...everybody, type: undefined, source: undefined } as const;

test.each<[name: string, index: string, list: () => Promise<unknown>]>([
  ["people by address", "users_by_email", () => users().list({ ...everybody, sort: "email" })],
  ["people by name", "users_by_name", () => users().list({ ...everybody, sort: "name" })],
  [
    "people by last sign-in",
    "users_by_last_sign_in",
    () => users().list({ ...everybody, sort: "lastSignedInAt", descending: true }),
  ],
  ["people by age", "users_by_creation", () => users().list({ ...everybody, sort: "createdAt" })],
  [
    "people by two words",
    "users_words",
    () => users().list({ ...everybody, sort: "email", q: "Ümit77 VORNAME77" }),
  ],
  ["clients by name", "clients_by_name", () => clients().list({ ...ofClients, sort: "name", limit: 10 })],
  [
    "clients by a word",
    "clients_words",
    () => clients().list({ ...ofClients, sort: "name", q: "portal 777" }),
  ],
  ["sessions", "browser_sessions_signed_in_at", () => sessions().list(ofSessions)],
  ["sessions of a person", "browser_sessions_user_id", () => sessions().list({ ...ofSessions, userId })],
  ["grants", "grants_created_at", () => grants().list({ ...ofGrants, state: "live" })],
  ["grants of a person", "grants_user_id", () => grants().list({ ...ofGrants, userId })],
  ["grants of a client", "grants_client_id", () => grants().list({ ...ofGrants, clientId: "client-7" })],
  [
    "grants for a service",
    "grants_resource_id",
    () => grants().list({ ...ofGrants, service: "service-7", limit: 10 }),
  ],
  [
    "grants of a person, with their last use",
    "refresh_tokens_grant_id",
    () => grants().list({ ...ofGrants, userId }),
  ],
  ["groups", "known_groups_by_key", () => groups().listGroups(ofGroups)],
  ["groups of a provider", "known_groups_pkey", () => groups().listGroups({ ...ofGroups, provider: "g3" })],
  ["groups by a word", "known_groups_words", () => groups().listGroups({ ...ofGroups, q: "team 777" })],
])("the list of %s uses the index %s", async (_name, index, list) => {
  const plan = await explained.planOf(list);
  expect(plan.map((step) => step.index)).toContain(index);
  const scanned = plan.filter(({ type }) => type === "Seq Scan").map(({ table }) => table);
  // Five providers, and the few stops that there ever are, are read at once whatever indexes they have.
  expect(scanned.filter((table) => !/providers$|^stops$/.test(table ?? ""))).toEqual([]);
});

test("the members of a group are counted by an index", async () => {
  const plan = await explained.planOf(() => groups().listGroups({ ...ofGroups, provider: "g3", q: "team" }));
  expect(plan.map((step) => step.index)).toContain("user_groups_groups");
});

test("grants are counted once for a page of clients, and not for each client", async () => {
  const plan = await explained.planOf(() => clients().list({ ...ofClients, sort: "name", limit: 10 }));
  expect(plan.map((step) => step.index)).toContain("grants_live");
  expect(plan.filter(({ table }) => table === "grants")).toHaveLength(1);
});

test("whom an app acts for is found by an index of grants", async () => {
  const asked = { ...firstPage, clientId: "client-7", now, sort: "email" } as const;
  const plan = await explained.planOf(() => grants().listPeople(asked));
  expect(plan.filter(({ type }) => type === "Seq Scan").map(({ table }) => table)).not.toContain("grants");
});

test("who can see a skill is found by an index of assignments", async () => {
  const request = { scopes: ["scope:2"], match: "every", now } as const;
  for (const ask of [
    () => access().listPage({ ...firstPage, ...request, sort: "email" }),
    () => access().count(request),
  ]) {
    const plan = await explained.planOf(ask);
    expect(plan.filter(({ type }) => type === "Seq Scan").map(({ table }) => table)).not.toContain(
      "assignments",
    );
  }
});

test.each<{ name: string; indexes: readonly string[]; emails?: readonly string[] }>([
  { name: "everybody", indexes: ["user_groups_groups"] },
  {
    name: "one person",
    indexes: ["users_email_key", "user_groups_pkey"],
    emails: ["person7@acme.example"],
  },
])("what a preview compares for $name is found by indexes", async ({ indexes, emails }) => {
  const plan = await explained.planOf(() => holders().list(["scope:1", "scope:2"], now, emails));
  expect(plan.map((step) => step.index)).toEqual(expect.arrayContaining([...indexes]));
});

describe("paging", () => {
  test.each([
    { sort: "email", descending: false },
    { sort: "name", descending: true },
    { sort: "lastSignedInAt", descending: false },
    { sort: "createdAt", descending: true },
  ] as const)("by $sort, descending $descending, shows everybody once, also those without", async (order) => {
    const seen: string[] = [];
    let after: PagePosition | undefined;
    do {
      const { items, next } = await users().list({ ...everybody, ...order, limit: 1999, after });
      seen.push(...items.map(({ id }) => id));
      after = next;
    } while (after !== undefined);
    expect(seen).toHaveLength(10_000);
    expect(new Set(seen).size).toBe(10_000);
  });

  test("is not disturbed by a person who is added in between", async () => {
    const request = { ...everybody, sort: "email", limit: 2 } as const;
    const first = await users().list(request);
    await file.query("INSERT INTO users (id, email) VALUES (gen_random_uuid(), 'aaa@acme.example')");
    const second = await users().list({ ...request, after: first.next });
    const whole = await users().list({ ...request, limit: 5 });
    const shown = [...first.items, ...second.items].map(({ email }) => email);
    expect(shown).toEqual(whole.items.slice(1).map(({ email }) => email));
  });
});

describe("searching", () => {
  test.each([
    { q: "person7777", finds: 1 },
    { q: "PERSON7777@ACME.example", finds: 1 },
    { q: "acme person7777", finds: 1 },
    { q: "Ümit77 vorname77", finds: 3 },
    { q: "umit77 vorname77", finds: 3 },
    { q: "uemit77 vorname77", finds: 3 },
    { q: "erson7777", finds: 0 },
    { q: "'); DROP TABLE users; --", finds: 0 },
    { q: "a & !b | c:*", finds: 0 },
  ])("for $q finds $finds", async ({ q, finds }) => {
    const { items } = await users().list({ ...everybody, sort: "email", q });
    expect(items).toHaveLength(finds);
  });

  test("for signs alone is no search", async () => {
    const { items } = await users().list({ ...everybody, sort: "email", limit: 5, q: " @.:'\\ " });
    expect(items).toHaveLength(5);
  });
});

describe("known groups", () => {
  const keysOf = async (q: string) =>
    (await groups().listGroups({ ...ofGroups, q })).items.map(({ key, people, assignments }) => ({
      key,
      people,
      assignments,
    }));

  test("are those that sign-ins name, with their people", async () => {
    expect(await keysOf("team 777")).toEqual([{ key: "team-777", people: 5, assignments: 0 }]);
  });

  test("are those that assignments name, for as long as they do", async () => {
    const group = { providerId: "00000000-0000-4000-8000-000000000001", key: "Ünique" };
    await file.query("INSERT INTO scopes (key, description) VALUES ('contracts:read', '')");
    await file.query(
      "INSERT INTO assignments (id, group_provider_id, group_key, scope_key) VALUES (gen_random_uuid(), $1, $2, 'contracts:read')",
      [group.providerId, group.key],
    );
    expect(await keysOf("Üniq")).toEqual([{ key: "Ünique", people: 0, assignments: 1 }]);
    const seenAt = "SELECT seen_at = 'infinity' AS forever FROM known_groups WHERE key = 'Ünique'";
    expect(await file.query(seenAt)).toEqual([{ forever: true }]);
    await file.query("DELETE FROM assignments WHERE group_key = 'Ünique'");
    expect(await file.query(seenAt)).toEqual([{ forever: false }]);
  });
});
