import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Connection } from "../../src/store/connections.js";
import type { OpenStore } from "../../src/store/store.js";
import {
  connect,
  saveSystemScopes,
  testConnector,
  testCredentials,
  testSealed,
  missingKeyId,
} from "../support/connectors.js";
import type { TestDatabase } from "../support/database.js";
import { withStore } from "../support/store.js";

const now = new Date("2026-11-20T12:00:00Z");
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
let database: TestDatabase;
let store: OpenStore;
let connectorId: string;
withStore("all", async (opened) => {
  ({ database, store } = opened);
  await saveSystemScopes(store, now);
  const connector = testConnector();
  connectorId = connector.id;
  await store.connectors.save(connector, now);
});

async function createUser(email: string | null = null): Promise<string> {
  const id = randomUUID();
  await database.query("INSERT INTO users (id, email) VALUES ($1, $2)", [id, email]);
  return id;
}

async function connected(): Promise<Connection> {
  return await connect(store, { connectorId, userId: await createUser(), now });
}

const lease = (connection: Connection, changes: object = {}) => ({
  id: connection.id,
  credentialVersion: connection.credentialVersion,
  lease: randomUUID(),
  now,
  until: at(15),
  ...changes,
});

const finished = (connection: Connection, changes: object = {}) => ({
  id: connection.id,
  credentialVersion: connection.credentialVersion,
  now: at(1),
  state: "connected" as const,
  reason: null,
  ...testCredentials(),
  ...changes,
});

describe("connecting", () => {
  test("stores what it is given, and finds it by person and connector", async () => {
    const userId = await createUser();
    const credentials = testCredentials({ accessExpiresAt: at(3600) });
    const saved = await connect(store, { connectorId, userId, now, ...credentials });

    expect(saved).toMatchObject({ userId, connectorId, state: "connected", reason: null, ...credentials });
    expect(saved).toMatchObject({ credentialVersion: 1, connectedAt: now, refreshedAt: null });
    expect(await store.connections.findOwn({ userId, connectorId })).toEqual(saved);
    expect(await store.connections.find(saved.id)).toEqual(saved);
    expect(await store.connections.listOwn(userId)).toEqual([saved]);
  });

  test("again keeps the id, replaces the tokens, and makes a running refresh too late", async () => {
    const first = await connected();
    await store.connections.beginRefresh(lease(first));
    const again = await connect(store, { ...first, now: at(60) });

    expect(again).toMatchObject({ id: first.id, credentialVersion: 2, connectedAt: at(60) });
    expect(again.refresh).toEqual({ lease: null, until: null, uncertain: false, notBefore: null });
    expect(await store.connections.finishRefresh(finished(first))).toBe(false);
  });

  test("twice at the same time makes one connection; tokens that are sealed for the other are not stored", async () => {
    const userId = await createUser();
    const ids: string[] = Array.from({ length: 8 }, () => randomUUID());
    const outcomes = await Promise.allSettled(
      ids.map((id) => connect(store, { id, connectorId, userId, now })),
    );

    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const own = await store.connections.findOwn({ userId, connectorId });
    expect(own).toMatchObject({ credentialVersion: 1 });
    expect(outcomes[ids.indexOf(own?.id ?? "")]).toMatchObject({ status: "fulfilled" });
  });

  test("again is of the same account, once it is known which one that is", async () => {
    const first = await connected();
    const save = (subject: string | null) =>
      store.connections.save({ ...first, ...testCredentials(), account: { subject, label: null }, now });
    await database.query("UPDATE connections SET account_subject = NULL WHERE id = $1", [first.id]);
    const outcomes = await Promise.all(["u-1", "u-2", "u-3"].map(save));

    expect(outcomes.filter((saved) => saved !== undefined)).toHaveLength(1);
    expect(await save("another")).toBeUndefined();
    expect(await save(null)).toBeUndefined();
  });

  test("is refused while the old one is being disconnected", async () => {
    const first = await connected();
    await store.connections.block({ id: first.id, now });

    await expect(connect(store, { ...first, now })).rejects.toThrow("not stored");
    expect(await store.connections.find(first.id)).toMatchObject({ state: "disconnecting" });
  });
});

describe("a refresh", () => {
  test("begins once among many concurrent callers", async () => {
    const connection = await connected();
    const leases = Array.from({ length: 20 }, () => lease(connection));
    const begun = await Promise.all(leases.map((each) => store.connections.beginRefresh(each)));

    expect(begun.filter(Boolean)).toHaveLength(1);
    const winner = leases[begun.indexOf(true)];
    expect((await store.connections.find(connection.id))?.refresh).toMatchObject({
      lease: winner?.lease,
      until: at(15),
    });
  });

  const refused: { name: string; change: (connection: Connection) => Promise<unknown>; ask?: object }[] = [
    { name: "newer tokens", change: (c) => store.connections.finishRefresh(finished(c)) },
    {
      name: "another one running",
      change: (c) => store.connections.beginRefresh(lease(c)),
      ask: { now: at(14) },
    },
    { name: "a disconnect", change: (c) => store.connections.block({ id: c.id, now }) },
    {
      name: "a person who has to connect again",
      change: (c) => store.connections.requireReconnect({ ...c, reason: "refused" }),
    },
    { name: "a wait", change: (c) => abandon(c, { notBefore: at(30) }), ask: { now: at(29) } },
  ];
  test.each(refused)("does not begin with $name", async ({ change, ask }) => {
    const connection = await connected();
    await change(connection);
    expect(await store.connections.beginRefresh(lease(connection, ask))).toBe(false);
  });

  test("can be taken over when its time is over, or after the wait", async () => {
    const connection = await connected();
    expect(await store.connections.beginRefresh(lease(connection))).toBe(true);
    expect(await store.connections.beginRefresh(lease(connection, { now: at(15), until: at(30) }))).toBe(
      true,
    );
    const waiting = await connected();
    await abandon(waiting, { notBefore: at(30) });
    expect(await store.connections.beginRefresh(lease(waiting, { now: at(30), until: at(45) }))).toBe(true);
  });

  test("ends with the new tokens, and the next one needs their version", async () => {
    const connection = await connected();
    await abandon(connection, { uncertain: true });
    const credentials = testSealed("env:1111111111111111");
    const stored = await store.connections.finishRefresh(
      finished(connection, { credentials, grantedScopes: [], refreshable: false }),
    );

    expect(stored).toBe(true);
    expect(await store.connections.find(connection.id)).toMatchObject({
      credentials,
      credentialVersion: 2,
      refreshedAt: at(1),
      grantedScopes: [],
      refreshable: false,
      refresh: { lease: null, until: null, uncertain: false, notBefore: null },
    });
    expect(await store.connections.finishRefresh(finished(connection))).toBe(false);
  });

  test("that is late is kept when no other was faster, also after a refusal of the old tokens", async () => {
    const connection = await connected();
    await store.connections.beginRefresh(lease(connection));
    await store.connections.beginRefresh(lease(connection, { now: at(20), until: at(35) }));
    await store.connections.requireReconnect({ ...connection, reason: "rotation_lost" });

    expect(await store.connections.finishRefresh(finished(connection))).toBe(true);
    expect(await store.connections.find(connection.id)).toMatchObject({ state: "connected", reason: null });
  });

  test("that meets a disconnect leaves the newest tokens to be revoked, and the state as it is", async () => {
    const connection = await connected();
    await store.connections.beginRefresh(lease(connection));
    const blocked = await store.connections.block({ id: connection.id, now });
    expect(blocked?.refresh.until).toEqual(at(15));

    const credentials = testSealed();
    expect(await store.connections.finishRefresh(finished(connection, { credentials }))).toBe(true);
    const found = await store.connections.find(connection.id);
    expect(found).toMatchObject({ state: "disconnecting", reason: null, credentials, credentialVersion: 2 });
    expect(await store.connections.remove({ id: connection.id, credentialVersion: 1 })).toBe(false);
    expect(await store.connections.remove({ id: connection.id, credentialVersion: 2 })).toBe(true);
  });

  test("whose grant shrunk asks the person to connect again", async () => {
    const connection = await connected();
    const shrunk = { state: "reconnect_required" as const, reason: "grant_shrunk" as const };
    await store.connections.finishRefresh(finished(connection, shrunk));
    expect(await store.connections.find(connection.id)).toMatchObject(shrunk);
  });

  test("that was given up stays uncertain until there are new tokens", async () => {
    const connection = await connected();
    await abandon(connection, { uncertain: true });
    await abandon(connection, { uncertain: false });
    expect((await store.connections.find(connection.id))?.refresh).toMatchObject({
      uncertain: true,
      lease: null,
    });
  });

  test("is given up only by its owner", async () => {
    const connection = await connected();
    await store.connections.beginRefresh(lease(connection));
    const given = { id: connection.id, lease: randomUUID(), uncertain: true, notBefore: null };
    expect(await store.connections.abandonRefresh(given)).toBe(false);
    expect((await store.connections.find(connection.id))?.refresh).toMatchObject({ uncertain: false });
  });

  test("is requested when the third party refused the token, and only for that token", async () => {
    const connection = await connected();
    await store.connections.markStale({ id: connection.id, credentialVersion: 2 });
    expect(await store.connections.find(connection.id)).toMatchObject({ accessExpiresAt: null });
    await store.connections.markStale(connection);
    expect(await store.connections.find(connection.id)).toMatchObject({ accessExpiresAt: new Date(0) });
  });

  async function abandon(connection: Connection, changes: object): Promise<void> {
    const begun = lease(connection);
    await store.connections.beginRefresh(begun);
    const given = { id: connection.id, lease: begun.lease, uncertain: false, notBefore: null, ...changes };
    expect(await store.connections.abandonRefresh(given)).toBe(true);
  }
});

describe("disconnecting", () => {
  test("begins once and is found by who finishes it later", async () => {
    const connection = await connected();
    const begun = await Promise.all(
      Array.from({ length: 5 }, () => store.connections.block({ id: connection.id, now: at(-60) })),
    );
    expect(begun.filter((each) => each !== undefined)).toHaveLength(1);

    const waiting = await store.connections.listDisconnecting({ before: at(-59), limit: 10 });
    expect(waiting.map(({ id }) => id)).toEqual([connection.id]);
    expect(await store.connections.listDisconnecting({ before: at(-60), limit: 10 })).toEqual([]);
  });

  test("can end only where it began", async () => {
    const connection = await connected();
    expect(await store.connections.remove(connection)).toBe(false);
    expect(await store.connections.requireReconnect({ ...connection, reason: "expired" })).toBe(true);
    await store.connections.block({ id: connection.id, now });
    expect(await store.connections.find(connection.id)).toMatchObject({ reason: null });
    expect(await store.connections.remove(connection)).toBe(true);
  });

  test("all accounts blocks each connection, and the connector stays until they are gone", async () => {
    const other = testConnector();
    await store.connectors.save(other, now);
    for (let index = 0; index < 3; index += 1) {
      await connect(store, { connectorId: other.id, userId: await createUser(), now });
    }
    expect(await store.connections.blockAll({ connectorId: other.id, now })).toBe(3);
    expect(await store.connections.blockAll({ connectorId: other.id, now })).toBe(0);
    expect(await store.connections.countByState(other.id)).toEqual({
      connected: 0,
      reconnectRequired: 0,
      disconnecting: 3,
    });
    await expect(store.connectors.remove(other.id)).rejects.toThrow(/foreign key/);
  });
});

test("the list finds connections by connector, person, state and name, without their tokens", async () => {
  const userId = await createUser("grace@list.example");
  const connection = await connect(store, { connectorId, userId, now: at(500) });
  await store.connections.requireReconnect({ ...connection, reason: "refused" });
  const connector = await store.connectors.find(connectorId);
  const request = {
    limit: 10,
    sort: "connectedAt" as const,
    descending: true,
    after: undefined,
    q: "grace",
    connector: connector?.key,
    userId,
    state: "reconnect_required" as const,
  };
  const { items } = await store.connections.list(request);

  expect(items).toEqual([
    {
      id: connection.id,
      state: "reconnect_required",
      reason: "refused",
      account: { subject: "u-1", label: "ada@notes.example" },
      grantedScopes: ["notes.read"],
      connectedAt: at(500),
      refreshedAt: null,
      lastUsedAt: null,
      keyId: missingKeyId,
      user: { id: userId, email: "grace@list.example", name: null },
      connector: { key: connector?.key, name: "Notes" },
    },
  ]);
  expect((await store.connections.list({ ...request, state: "connected" })).items).toEqual([]);
});
