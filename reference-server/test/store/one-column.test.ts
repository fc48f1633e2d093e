import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { connectionTable } from "../../src/store/connections.js";
import { connectorTable } from "../../src/store/connectors.js";
import { grantTable } from "../../src/store/grants.js";
import type { Table } from "../../src/store/postgres/table.js";
import { resourceTable } from "../../src/store/resources.js";
import type { OpenStore } from "../../src/store/store.js";
import { userTable } from "../../src/store/users.js";
import { connect, saveSystemScopes, testConnector, testSealed } from "../support/connectors.js";
import type { TestDatabase } from "../support/database.js";
import { resourceRecord } from "../support/records.js";
import { withStore } from "../support/store.js";

const now = new Date("2026-11-20T12:00:00.123Z");
let database: TestDatabase;
let store: OpenStore;
withStore("all", async (opened) => {
  ({ database, store } = opened);
  await saveSystemScopes(store, now);
  await store.resources.save(resourceRecord({ supportedScopes: [] }), now);
  const userId = randomUUID();
  await database.query("INSERT INTO users (id, email, name) VALUES ($1, 'ada@acme.example', 'Ada \"ö\"')", [
    userId,
  ]);
  const connector = testConnector({ clientSecret: testSealed(), requiredScopes: ["authz:login"] });
  await store.connectors.save(connector, now);
  await connect(store, { connectorId: connector.id, userId, now, accessExpiresAt: now });
  await database.query(
    `UPDATE connections SET refresh_lease = gen_random_uuid(), refresh_lease_until = now(), refresh_not_before = now(),
       refreshed_at = now(), last_used_at = now()`,
  );
  await database.query("INSERT INTO clients (id, name, redirect_uris) VALUES ('app', 'App', '{}')");
  await database.query(
    `INSERT INTO grants (id, user_id, client_id, jkt, scopes, auth_time, amr, created_at, expires_at, revoked_at, revocation_reason)
     VALUES (gen_random_uuid(), $1, 'app', 'jkt', '{a,b}', now(), '{pwd}', now(), now() + interval '1 day', now(), 'user_disabled')`,
    [userId],
  );
});

test.each<[name: string, table: Table<object>]>([
  ["a connector", connectorTable],
  ["a connection", connectionTable],
  ["a grant", grantTable],
  ["a person", userTable],
  ["a service", resourceTable],
])("%s is the same in one column as in many", async (_name, table) => {
  const query = `SELECT ${table.toJsonSql("t")} AS json, ${table.select("t", "many.")} FROM ${table.name} t LIMIT 1`;
  for (const setting of ["bytea_output = hex", "bytea_output = escape", "timezone = 'Asia/Kathmandu'"]) {
    await database.query(
      `DO $do$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${setting.replaceAll("'", "''")}', current_database()); END $do$`,
    );
    const [row] = await database.query<Record<string, unknown>>(query);
    expect(table.fromJson(row?.["json"] as object)).toEqual(table.fromRow(row as object, "many."));
  }
});
