import { randomBytes, randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { describeKeys } from "../../src/encryption-keys/describe-keys.js";
import { rewrapBatch, type RewrapPosition, rewrapSome } from "../../src/encryption-keys/rewrap-keys.js";
import { VaultError } from "../../src/platform/vault/key-ring.js";
import { connectionRow, connectorRow } from "../../src/platform/vault/rows.js";
import { unpackSealed } from "../../src/platform/vault/sealed.js";
import { createVault, type Vault } from "../../src/platform/vault/vault.js";
import { createEnvironmentKeys, environmentKeyId } from "../../src/platform/vault/environment-keys.js";
import type { Connection } from "../../src/store/connections.js";
import type { OpenStore } from "../../src/store/store.js";
import { keyIdsSql, rewrapSql } from "../../src/store/sealed-secrets.js";
import {
  connect,
  saveSystemScopes,
  testConnector,
  testCredentials,
  testSealed,
} from "../support/connectors.js";
import type { TestDatabase } from "../support/database.js";
import { explain } from "../support/explain.js";
import { withStore } from "../support/store.js";

const at = new Date("2026-11-20T12:00:00Z");
const oldKey = randomBytes(32);
const newKey = randomBytes(32);
const oldId = environmentKeyId(oldKey);
const newId = environmentKeyId(newKey);
const before = vaultOf(oldKey);
const both = vaultOf(newKey, oldKey);
const after = vaultOf(newKey);

let database: TestDatabase;
let store: OpenStore;
withStore("all", async (opened) => {
  ({ database, store } = opened);
  await saveSystemScopes(store, at);
});

let connectorId: string;
let connections: Connection[];
/** One connector with a secret and five connections, all sealed with the old key. */
beforeEach(async () => {
  await database.query("DELETE FROM connections");
  await database.query("DELETE FROM connectors");
  const connector = testConnector();
  connectorId = connector.id;
  const clientSecret = await before.seal("client secret", connectorRow(connectorId));
  await store.connectors.save({ ...connector, clientSecret }, at);
  connections = await Promise.all(Array.from({ length: 5 }, () => createConnection(before)));
  connections.sort((a, b) => (a.id < b.id ? -1 : 1));
});

function vaultOf(active: Buffer, ...previous: Buffer[]): Vault {
  const keys = createEnvironmentKeys({ active, previous }, "AUTHZ_CONNECTOR_KEK");
  return createVault({ variable: "AUTHZ_CONNECTOR_KEK", active: keys, places: [keys] });
}

async function createConnection(vault: Vault): Promise<Connection> {
  const userId = randomUUID();
  await database.query("INSERT INTO users (id) VALUES ($1)", [userId]);
  const id = randomUUID();
  const row = connectionRow({ id, connectorId, userId });
  const credentials = await vault.seal(`tokens of ${id}`, row);
  return await connect(store, { id, connectorId, userId, now: at, credentials });
}

function nth(index: number): Connection {
  const connection = connections[index];
  if (connection === undefined) throw new Error("there are five connections");
  return connection;
}

const ciphertextOf = (sealed: Buffer | undefined) => sealed && unpackSealed(sealed)?.ciphertext;

async function readAll(vault: Vault): Promise<string[]> {
  const found = await Promise.all(connections.map(({ id }) => store.connections.find(id)));
  const present = found.filter((connection) => connection !== undefined);
  return await Promise.all(present.map((each) => vault.open(each.credentials, connectionRow(each))));
}

/** Nothing here touches credentials. */
const contextOf = (connectorVault: Vault) => ({ store, connectorVault, credentials: connectorVault });

const tokens = () => connections.map(({ id }) => `tokens of ${id}`);
const batch = (limit: number, from?: RewrapPosition) => ({
  purpose: "connectors" as const,
  limit,
  from,
  at,
  actor: { type: "operator" } as const,
});
const events = () =>
  database.query<{ data: object; actor_type: string }>(
    "SELECT data, actor_type FROM audit_events WHERE type = 'connector_key.rewrapped' ORDER BY id DESC",
  );

async function runAll(limit: number, context = contextOf(both)): Promise<number> {
  let from: RewrapPosition | undefined = { table: "connectors", after: undefined };
  let rewrapped = 0;
  while (from !== undefined) {
    const result = await rewrapBatch(batch(limit, from), context);
    rewrapped += result.rewrapped;
    from = result.next;
  }
  return rewrapped;
}

describe("sealing again", () => {
  test("moves every data key to the active key, in batches, and leaves the tokens alone", async () => {
    expect(await runAll(2)).toBe(6);

    expect(await readAll(after)).toEqual(tokens());
    const connector = await store.connectors.find(connectorId);
    const clientSecret = connector?.clientSecret ?? testSealed();
    expect(await after.open(clientSecret, connectorRow(connectorId))).toBe("client secret");
    for (const connection of connections) {
      const now = await store.connections.find(connection.id);
      expect(ciphertextOf(now?.credentials)).toEqual(ciphertextOf(connection.credentials));
      expect(now?.credentialVersion).toBe(connection.credentialVersion);
    }
    expect(await runAll(2)).toBe(0);
  });

  test("is in the audit trail, each batch with what it did", async () => {
    const known = (await events()).length;
    await runAll(3);
    const [third, second, first, ...rest] = await events();
    expect([first, second, third]).toEqual([
      { actor_type: "operator", data: { keyId: newId, connectors: 1, connections: 0 } },
      { actor_type: "operator", data: { keyId: newId, connectors: 0, connections: 3 } },
      { actor_type: "operator", data: { keyId: newId, connectors: 0, connections: 2 } },
    ]);
    expect(rest).toHaveLength(known);
  });

  test("by two processes at the same time does each row once", async () => {
    const done = await Promise.all([runAll(2), runAll(2), runAll(2)]);
    expect(done.reduce((sum, count) => sum + count, 0)).toBe(6);
    expect(await readAll(after)).toEqual(tokens());
  });

  test("goes on after it was killed", async () => {
    const from = { table: "connections", after: undefined } as const;
    expect((await rewrapBatch(batch(2, from), contextOf(both))).rewrapped).toBe(2);
    expect(await readAll(both)).toEqual(tokens());
    expect(await runAll(2)).toBe(4);
    expect(await readAll(after)).toEqual(tokens());
  });

  test("stores nothing without its audit event", async () => {
    await database.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no event'; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON audit_events FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    try {
      await expect(runAll(10)).rejects.toThrow("no event");
    } finally {
      await database.query("DROP TRIGGER refuse ON audit_events; DROP FUNCTION refuse()");
    }
    expect(await readAll(before)).toEqual(tokens());
  });

  test("lets a refresh that comes meanwhile win", async () => {
    const connection = nth(0);
    const fresh = await both.seal("newer tokens", connectionRow(connection));
    const interrupted: Vault = {
      ...both,
      // What happens between reading the rows and storing them.
      async rewrap(envelope, row) {
        if (row === connectionRow(connection)) {
          const refreshed = {
            ...testCredentials({ credentials: fresh }),
            state: "connected",
            reason: null,
          } as const;
          await store.connections.finishRefresh({ ...connection, ...refreshed, now: at });
        }
        return await both.rewrap(envelope, row);
      },
    };
    expect(await runAll(10, contextOf(interrupted))).toBe(5);
    expect(await readAll(after)).toEqual(["newer tokens", ...tokens().slice(1)]);
  });

  test("and refreshes of every connection, all at once, leave tokens that open", async () => {
    for (let index = 0; index < 25; index += 1) {
      connections.push(await createConnection(before));
    }
    const refreshes = connections.map(async (connection) => {
      const credentials = await both.seal("newer tokens", connectionRow(connection));
      const refreshed = { ...testCredentials({ credentials }), state: "connected", reason: null } as const;
      return await store.connections.finishRefresh({ ...connection, ...refreshed, now: at });
    });
    await Promise.all([runAll(7), ...refreshes, runAll(11), runAll(100)]);

    expect(await Promise.all(refreshes)).not.toContain(false);
    expect(new Set(await readAll(after))).toEqual(new Set(["newer tokens"]));
  });

  test("is not confused by another process that sealed the same row meanwhile", async () => {
    const interrupted: Vault = {
      ...both,
      async rewrap(envelope, row) {
        await runAll(10);
        return await both.rewrap(envelope, row);
      },
    };
    expect(await runAll(10, contextOf(interrupted))).toBe(0);
    expect(await readAll(after)).toEqual(tokens());
  });

  test("leaves rows that do not open as they are, names them, and does the others", async () => {
    const damaged = nth(1);
    await database.query(
      "UPDATE connections SET credentials = overlay(credentials PLACING '\\x00000000' FROM 45) WHERE id = $1",
      [damaged.id],
    );
    const stored = await store.connections.find(damaged.id);
    const from = { table: "connections", after: undefined } as const;
    const result = await rewrapBatch(batch(10, from), contextOf(both));
    expect(result).toEqual({ rewrapped: 4, unreadable: [connectionRow(damaged)], next: undefined });
    expect(await store.connections.find(damaged.id)).toEqual(stored);
  });

  test("is refused without an active key, and nothing changes", async () => {
    const keys = createEnvironmentKeys({ active: undefined, previous: [oldKey] }, "AUTHZ_CONNECTOR_KEK");
    const connectorVault = createVault({ variable: "AUTHZ_CONNECTOR_KEK", active: keys, places: [keys] });
    const error: unknown = await runAll(2, contextOf(connectorVault)).catch((caught: unknown) => caught);
    expect((error as VaultError).reason).toBe("not_configured");
    expect(await readAll(before)).toEqual(tokens());
  });

  test("leaves what a key that is not configured has sealed", async () => {
    expect(await runAll(2, contextOf(after))).toBe(0);
    expect(await readAll(before)).toEqual(tokens());
  });
});

describe("one batch without a position", () => {
  const context = {
    get store() {
      return store;
    },
    credentials: both,
    connectorVault: both,
  };

  test("says how much is left, until nothing is", async () => {
    const some = batch(3);
    expect(await rewrapSome(some, context)).toEqual({ rewrapped: 1, remaining: 5, unreadable: 0 });
    expect(await rewrapSome(some, context)).toEqual({ rewrapped: 3, remaining: 2, unreadable: 0 });
    expect(await rewrapSome(some, context)).toEqual({ rewrapped: 2, remaining: 0, unreadable: 0 });
    expect(await rewrapSome(some, context)).toEqual({ rewrapped: 0, remaining: 0, unreadable: 0 });
  });

  test("gets past rows that do not open, and counts those of missing keys", async () => {
    const damaged = connections.slice(0, 3).map(({ id }) => id);
    await database.query(
      "UPDATE connections SET credentials = overlay(credentials PLACING '\\x0000000000000000' FROM 45) WHERE id = ANY ($1)",
      [damaged],
    );
    await createConnection(vaultOf(randomBytes(32)));
    const some = batch(1);
    expect(await rewrapSome(some, context)).toMatchObject({ rewrapped: 1 });
    expect(await rewrapSome(some, context)).toEqual({ rewrapped: 1, remaining: 1, unreadable: 4 });
    expect(await rewrapSome(some, context)).toEqual({ rewrapped: 1, remaining: 0, unreadable: 4 });
    expect(await rewrapSome(some, context)).toEqual({ rewrapped: 0, remaining: 0, unreadable: 4 });
  });
});

test("the description names every key, what it sealed, and whether it can be read", async () => {
  await createConnection(both);
  const lost = randomBytes(32);
  await createConnection(vaultOf(lost));
  const { keys, ...state } = await describeKeys("connectors", contextOf(both));

  expect(state).toEqual({ state: "ready", problem: null, activeKeyId: newId });
  expect(keys[0]).toEqual({
    secrets: 0,
    keyId: newId,
    active: true,
    readable: true,
    connectors: 0,
    connections: 1,
  });
  const others = [
    { secrets: 0, keyId: oldId, active: false, readable: true, connectors: 1, connections: 5 },
    {
      secrets: 0,
      keyId: environmentKeyId(lost),
      active: false,
      readable: false,
      connectors: 0,
      connections: 1,
    },
  ];
  expect(keys.slice(1)).toEqual(others.sort((a, b) => (a.keyId < b.keyId ? -1 : 1)));
});

test("a batch, and the list of keys, cost the same when nearly every row is done", async () => {
  const sealed = (name: string) => `decode('${testSealed(`env:${name}`).toString("hex")}', 'hex')`;
  await database.query(`
    SET session_replication_role = replica;
    INSERT INTO connections (id, connector_id, user_id, state, granted_scopes, credentials, refreshable, connected_at)
    SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'connected', '{}',
      CASE WHEN n % 1000 = 0 THEN ${sealed("old")} WHEN n % 500 = 0 THEN ${sealed("older")} ELSE ${sealed("new")} END, true, now()
    FROM generate_series(1, 10000) AS n;
    ANALYZE connections`);
  const batchSql = rewrapSql("connections")
    .replace(":keyIds", "$1")
    .replace(":after", "$2")
    .replaceAll(":limit", "$3");
  const id = "00000000-0000-0000-0000-000000000000";
  const statements = [
    { text: batchSql, values: ["{env:old,env:older}", id, "200"] },
    { text: keyIdsSql("connections"), values: [] },
  ];
  for (const statement of statements) {
    const plan = await explain(database.url, statement);
    const tables = plan.filter(({ table }) => table === "connections");
    expect(tables.map(({ index }) => index)).not.toContain(undefined);
    expect(new Set(tables.map(({ index }) => index))).toEqual(new Set(["connections_key_id"]));
  }
});
