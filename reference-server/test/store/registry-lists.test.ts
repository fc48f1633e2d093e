import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compareHolders, loadHolders } from "../../src/admin/door/impact.js";
import { createAccessRequestStore } from "../../src/store/access-requests.js";
import { createAppHostStore } from "../../src/store/app-hosts.js";
import { createAppRequestStore } from "../../src/store/app-requests.js";
import { createApprovalStore } from "../../src/store/approvals.js";
import { createAssignmentStore } from "../../src/store/assignments.js";
import { createProposalStore } from "../../src/store/proposals.js";
import { openStore } from "../../src/store/store.js";
import { createResourceStore } from "../../src/store/resources.js";
import { createSkillCatalogStore } from "../../src/store/skill-catalogs.js";
import { createScopeStore } from "../../src/store/scopes.js";
import { createAdminServer } from "../support/admin.js";
import { describeRoutes } from "../support/admin-routes.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { type ExplainedDatabase, openExplainedDatabase } from "../support/explain.js";
import { stampEvent } from "../support/stamp.js";

const now = new Date("2026-11-20T12:00:00Z");
const firstPage = { limit: 50, after: undefined, q: undefined, descending: false };

let file: TestDatabase;
let explained: ExplainedDatabase;
let database: ExplainedDatabase["database"];

/** Ten thousand people with three scopes each, two thousand resources and hosts, five hundred scopes, ten thousand asks. */
beforeAll(async () => {
  file = await createTestDatabase();
  await file.query(`
    SET session_replication_role = replica;
    INSERT INTO users (id, email, name) SELECT gen_random_uuid(), 'person' || n || '@acme.example', 'Person ' || n
      FROM generate_series(1, 10000) n;
    INSERT INTO scopes (key, description, created_at)
      SELECT 'area-' || n || ':read', 'Read area ' || n, timestamptz '2026-11-20' + n * interval '1 second'
      FROM generate_series(1, 500) n;
    INSERT INTO resources (id, key, name, resource, authorization_server, client_id, request_prefixes, covers,
        created_at)
      SELECT gen_random_uuid(), 'service-' || n, 'Dienst ' || n, 'https://s' || n || '.example/api',
        'https://s' || n || '.example', 'authz-cli', ARRAY['https://s' || n || '.example/api'],
        ARRAY['https://s' || n || '.example/api'], timestamptz '2026-11-20' + n * interval '1 second'
      FROM generate_series(1, 2000) n;
    INSERT INTO resource_scopes SELECT id, 'area-' || (row_number() OVER ()) % 500 + 1 || ':read' FROM resources;
    INSERT INTO owners (resource_id, email) SELECT id, 'person7@acme.example' FROM resources;
    INSERT INTO group_providers (id, key, name, type, url, secret)
      VALUES ('00000000-0000-4000-8000-000000000001', 'ldap', 'Directory', 'directory', 'https://d.example', '');
    INSERT INTO assignments (id, email, scope_key, created_at)
      SELECT gen_random_uuid(), 'person' || n || '@acme.example', 'area-' || (n + k * 50) % 500 + 1 || ':read',
        timestamptz '2026-11-20' + n * interval '1 second'
      FROM generate_series(1, 10000) n, generate_series(1, 3) k;
    INSERT INTO assignments (id, group_provider_id, group_key, scope_key)
      SELECT gen_random_uuid(), '00000000-0000-4000-8000-000000000001', 'team-' || n, 'area-' || n % 500 + 1 || ':read'
      FROM generate_series(1, 1000) n;
    INSERT INTO app_hosts (host, name, allowed, created_at)
      SELECT 'h' || n || '.example', 'Apps ' || n, true, timestamptz '2026-11-20' + n * interval '1 second'
      FROM generate_series(1, 2000) n;
    INSERT INTO app_requests
      SELECT 'a' || row_number() OVER () % 500 || '.example', id, 'https://a.example/app', now() FROM users;
    INSERT INTO clients (id, name, redirect_uris, source)
      SELECT 'https://h' || n || '.example/app', 'App', '{}', 'metadata_document' FROM generate_series(1, 2000) n;
    INSERT INTO client_documents
      SELECT 'https://h' || n || '.example/app', 'h' || n || '.example', '', NULL, now(), now(), now()
      FROM generate_series(1, 2000) n;
    INSERT INTO access_requests (id, user_id, kind, target, scopes, reason, state, decided_at, created_at)
      SELECT gen_random_uuid(), id, 'service', 'service-7', '{area-7:read}', 'Because.',
        CASE WHEN n % 100 = 0 THEN 'pending' ELSE 'declined' END, CASE WHEN n % 100 > 0 THEN now() END,
        timestamptz '2026-11-20' + n * interval '1 second'
      FROM (SELECT id, row_number() OVER () AS n FROM users) AS u;
    INSERT INTO proposals (id, kind, target, seen_version, proposed_by, proposed_at)
      SELECT gen_random_uuid(), 'skill', 'skill-' || n, 1, id, timestamptz '2026-11-20' + n * interval '1 second'
      FROM (SELECT id, row_number() OVER () AS n FROM users) AS u;
    INSERT INTO approvals (id, state, resource_id, user_id, client_id, grant_id, txn, call_digest, method, url, detail, reason,
      created_at, expires_at, interval_seconds, decided_by, decided_at)
      SELECT gen_random_uuid(), CASE WHEN n % 100 = 0 THEN 'pending' ELSE 'declined' END,
        (SELECT id FROM resources WHERE key = 'service-7'), id, 'authz-cli', gen_random_uuid(), n, n, 'DELETE', 'https://a', '{}', '-',
        timestamptz '2026-11-20' + n * interval '1 second', timestamptz '2026-11-21', 5,
        CASE WHEN n % 100 > 0 THEN id END, CASE WHEN n % 100 > 0 THEN now() END
      FROM (SELECT id, row_number() OVER () AS n FROM users) AS u;
    UPDATE resources SET skill_discovery = true;
    INSERT INTO skill_catalogs (resource_id, skills, fetched_at, attempted_at, refresh_at)
      SELECT id, 0, created_at, created_at, created_at FROM resources;
    ANALYZE`);
  // What waits to be sorted into an index of words is read as a whole.
  await file.query("VACUUM ANALYZE resources, app_hosts");
  explained = await openExplainedDatabase(file.url);
  ({ database } = explained);
});
afterAll(async () => {
  await explained.close();
  await file.drop();
});

const assignments = () => createAssignmentStore(database);
const resources = () => createResourceStore(database);
const scopes = () => createScopeStore(database);
const accessRequests = () => createAccessRequestStore(database);
const appHosts = () => createAppHostStore(database);
const catalogs = () => createSkillCatalogStore(database);
const anyAssignment = { email: undefined, scope: undefined, group: undefined };
const anyResource = { enabled: undefined, scope: undefined };

const lists: readonly { name: string; list: () => Promise<unknown> }[] = [
  ...(["assignee", "scope", "createdAt"] as const).flatMap((sort) =>
    [false, true].map((descending) => ({
      name: `assignments by ${sort}, ${descending ? "descending" : "ascending"}`,
      list: () => assignments().list({ ...firstPage, ...anyAssignment, sort, descending }),
    })),
  ),
  {
    name: "the assignments of one address",
    list: () =>
      assignments().list({ ...firstPage, ...anyAssignment, sort: "assignee", email: "person7@acme.example" }),
  },
  {
    name: "the assignments of one group",
    list: () =>
      assignments().list({
        ...firstPage,
        ...anyAssignment,
        sort: "assignee",
        group: { provider: "ldap", key: "team-7" },
      }),
  },
  {
    name: "the assignments of one scope",
    list: () =>
      assignments().list({ ...firstPage, ...anyAssignment, sort: "assignee", scope: "area-7:read" }),
  },
  {
    name: "assignments with a word",
    list: () => assignments().list({ ...firstPage, ...anyAssignment, sort: "assignee", q: "person77" }),
  },
  ...(["name", "key", "createdAt"] as const).map((sort) => ({
    name: `resources by ${sort}`,
    list: () => resources().list({ ...firstPage, ...anyResource, sort }),
  })),
  {
    name: "resources with a word",
    list: () => resources().list({ ...firstPage, ...anyResource, sort: "name", q: "dienst s77" }),
  },
  ...(["key", "createdAt"] as const).map((sort) => ({
    name: `scopes by ${sort}`,
    list: () => scopes().list({ ...firstPage, system: undefined, sort }),
  })),
  {
    name: "catalogs",
    list: () => catalogs().listPage({ ...firstPage, states: undefined, freshAfter: now, sort: "key" }),
  },
  ...(["host", "name", "createdAt"] as const).map((sort) => ({
    name: `hosts of apps by ${sort}`,
    list: () => appHosts().list({ ...firstPage, allowed: undefined, sort }),
  })),
  {
    name: "hosts of apps with a word",
    list: () => appHosts().list({ ...firstPage, allowed: undefined, sort: "host", q: "h77" }),
  },
  {
    name: "who asked for a host",
    list: () => createAppRequestStore(database).listPeople("a7.example", 50),
  },
  ...([undefined, "pending", "declined"] as const).map((state) => ({
    name: `access requests that are ${state ?? "in any state"}`,
    list: () => accessRequests().list({ ...firstPage, state, sort: "createdAt", descending: true }),
  })),
  {
    name: "proposals",
    list: () => createProposalStore(database).list({ ...firstPage, sort: "proposedAt", descending: true }),
  },
  ...([undefined, "pending", "declined"] as const).map((state) => ({
    name: `approvals that are ${state ?? "in any state"}`,
    list: () =>
      createApprovalStore(database, stampEvent).list({
        ...firstPage,
        state,
        userId: undefined,
        clientId: undefined,
        service: undefined,
        sort: "createdAt",
        descending: true,
      }),
  })),
  { name: "what uses a scope", list: () => scopes().findUses("area-7:read") },
  { name: "who else has a prefix", list: () => resources().findByPlaces(["https://s7.example/api"]) },
];

test("every list of the administration API is here, in people-lists.test.ts, connection-lists.test.ts or audit/search-events.test.ts", async () => {
  const server = await createAdminServer();
  const { routes } = await describeRoutes(server);
  await server.close();
  const paged = routes
    .filter(({ method, parameters }) => method === "GET" && parameters.includes("cursor"))
    .map(({ path }) => path);
  expect(paged.filter((path) => !atMostHundreds.includes(path)).sort()).toEqual([
    "/access-requests",
    "/app-hosts",
    // Counted each time it is read, from asks of the last ninety days, of which a person has twenty at most.
    "/app-requests",
    "/approvals",
    "/assignments",
    "/audit-events",
    "/catalogs",
    "/clients",
    "/clients/{id}/people",
    "/connections",
    "/connectors/{key}/people",
    "/grants",
    "/groups",
    "/proposals",
    "/resources",
    "/resources/{key}/people",
    "/scopes",
    "/scopes/{key}/people",
    "/sessions",
    "/skills/{id}/audience",
    "/users",
  ]);
});
/** Lists of which an installation cannot have more than some hundred items. */
const atMostHundreds = [
  "/group-providers",
  "/identity-providers",
  "/skills",
  "/signing-keys",
  "/connectors",
  "/signal-streams",
  "/stops",
];

/** Reading one of these is reading its one page. */
const small = new Set([
  "connectors",
  "connector_scopes",
  "group_providers",
  "machine_scopes",
  "settings",
  "skills",
  "skill_scopes",
]);

describe("an index is used for", () => {
  test.each(lists)("$name", async ({ list }) => {
    const plan = await explained.planOf(list);
    const scanned = plan.filter(({ type }) => type === "Seq Scan").map(({ table }) => table);
    expect(scanned.filter((table) => !small.has(table ?? ""))).toEqual([]);
    expect(plan.some(({ type }) => type.includes("Index"))).toBe(true);
  });
});

test("a page in the middle begins where the page before ended", async () => {
  const request = { ...firstPage, ...anyAssignment, sort: "assignee", limit: 200 } as const;
  const first = await assignments().list(request);
  const second = await assignments().list({ ...request, after: first.next });
  const whole = await file.query<{ id: string }>(
    "SELECT id FROM assignments ORDER BY coalesce(email, group_key), id LIMIT 400",
  );
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
});

test("the impact of a change is counted for the scopes that it can touch, among ten thousand people", async () => {
  const store = openStore({ postgresUrl: file.url, stampEvent });
  const changed = { scopes: ["area-7:read"], now };
  const impact = await store.transaction(async (tx) => {
    const before = await loadHolders(tx, changed);
    const { items } = await tx.assignments.list({
      ...firstPage,
      ...anyAssignment,
      sort: "assignee",
      scope: "area-7:read",
    });
    for (const { id } of items.slice(0, 20)) await tx.assignments.remove(id);
    return compareHolders(before, await loadHolders(tx, changed));
  });
  expect(impact).toMatchObject({ gains: [], losses: [{ scope: "area-7:read", people: 20 }] });
  expect(impact.losses[0]?.sample).toHaveLength(5);
  await store.close();
});
