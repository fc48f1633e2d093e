import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createForwardedCallStore } from "../../src/store/forwarded-calls.js";
import { createConnectionStore } from "../../src/store/connections.js";
import { createConnectorStore } from "../../src/store/connectors.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { type ExplainedDatabase, openExplainedDatabase } from "../support/explain.js";
import { stampEvent } from "../support/stamp.js";

const now = new Date("2026-11-20T12:00:00Z");
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
let file: TestDatabase;
let explained: ExplainedDatabase;
let database: ExplainedDatabase["database"];

/** Ten thousand people with a connection each, tokens of a usual size, at one of five connectors. */
beforeAll(async () => {
  file = await createTestDatabase();
  const idSql = (n: string) => `('00000000-0000-4000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;
  const at = "timestamptz '2026-11-20' + n * interval '1 second'";
  await file.query(`
    SET session_replication_role = replica;
    INSERT INTO users (id, email, name) SELECT ${idSql("n")}, 'person' || n || '@acme.example', 'Person ' || n
      FROM generate_series(1, 10000) n;
    INSERT INTO connectors (id, key, name, kind, authorization_endpoint, token_endpoint, token_endpoint_auth_method,
      authorization_parameters, client_id, scopes, request_prefixes, methods, path_templates,
      request_bytes, response_bytes, timeout_seconds, requests_per_minute)
      SELECT ${idSql("n")}, 'c' || n, 'Connector ' || n, 'oauth2', '', '', 'none', '{}', '', '[]', '{}', '{}', '{}',
        1, 1, 1, 1 FROM generate_series(1, 5) n;
    INSERT INTO connections (id, connector_id, user_id, state, disconnecting_at, granted_scopes,
      credentials, refreshable, connected_at)
      SELECT ${idSql("n")}, ${idSql("n % 5 + 1")}, ${idSql("n")}, CASE WHEN n % 500 = 0 THEN 'disconnecting' ELSE 'connected' END,
        CASE WHEN n % 500 = 0 THEN ${at} END, '{}',
        '\\x0100050020'::bytea || 'env:0'::bytea || sha256(n::text::bytea) || decode(repeat(md5(n::text), 64), 'hex'), true, ${at} FROM generate_series(1, 10000) n;
    INSERT INTO forwarded_calls (id, connection_id, connector, user_id, method, host, path_template, started_at,
      ends_before)
      SELECT ${idSql("n")}, ${idSql("n")}, 'c1', ${idSql("n")}, 'GET', 'h', '/', ${at}, ${at} FROM generate_series(1, 10000) n;
    ANALYZE`);
  // What waits to be sorted into an index of words is read as a whole.
  await file.query("VACUUM ANALYZE users, connections");
  explained = await openExplainedDatabase(file.url);
  ({ database } = explained);
});
afterAll(async () => {
  await explained.close();
  await file.drop();
});

const connections = () => createConnectionStore(database);
const firstPage = {
  limit: 50,
  sort: "connectedAt",
  descending: true,
  after: undefined,
  q: undefined,
  connector: undefined,
  userId: undefined,
  state: undefined,
} as const;
const anyConnector = { limit: 50, sort: "key", descending: false, after: undefined, q: undefined } as const;

const lists: readonly (readonly [name: string, index: string, list: () => Promise<unknown>])[] = [
  ["all of them", "connections_connected_at", () => connections().list(firstPage)],
  [
    "those of one connector",
    "connections_connected_at",
    () => connections().list({ ...firstPage, connector: "c3" }),
  ],
  [
    "those of one person",
    "connections_user_id_connector_id_key",
    () => connections().list({ ...firstPage, userId: id(77) }),
  ],
  ["those with a word", "users_words", () => connections().list({ ...firstPage, q: "person7777" })],
  ["one's own", "connections_user_id_connector_id_key", () => connections().listOwn(id(77))],
  [
    "those that are being disconnected",
    "connections_disconnecting_at",
    () => connections().listDisconnecting({ before: now, limit: 10 }),
  ],
  ["how many are in which state", "connections_connector_id", () => connections().countByState(id(3))],
  [
    "the connectors with their counts",
    "connections_connector_id",
    () => createConnectorStore(database).list({ ...anyConnector, enabled: undefined }),
  ],
  [
    "calls that lost their process",
    "forwarded_calls_ends_before",
    () => createForwardedCallStore(database, stampEvent).orphaned({ now, limit: 100 }),
  ],
];

describe("among ten thousand connections", () => {
  test.each(lists)("%s are found with an index", async (_name, index, list) => {
    const plan = await explained.planOf(list);
    const scanned = plan.filter(({ type }) => type === "Seq Scan").map(({ table }) => table);
    expect(
      scanned.filter(
        (table) => !/^(?:connector(?:s|_scopes|_tests)|owners|group_providers)$/.test(table ?? ""),
      ),
    ).toEqual([]);
    expect(plan.map((step) => step.index)).toContain(index);
  });
});
