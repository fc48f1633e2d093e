import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { OpenStore } from "../../src/store/store.js";
import { connect, saveSystemScopes, testConnector, testSealed } from "../support/connectors.js";
import type { TestDatabase } from "../support/database.js";
import { withStore } from "../support/store.js";

const now = new Date("2026-11-20T12:00:00Z");
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const userId = randomUUID();
let database: TestDatabase;
let store: OpenStore;
withStore(
  "all",
  async (opened) => {
    ({ database, store } = opened);
    await saveSystemScopes(store, now);
    await database.query("INSERT INTO users (id, email) VALUES ($1, 'ada@acme.example')", [userId]);
  },
  at(0),
);

describe("a connector", () => {
  test("is stored with everything in it", async () => {
    const connector = testConnector({ clientSecret: testSealed(), issuer: "https://notes.example" });
    await store.connectors.save(connector, now);
    const stored = { ...connector, createdAt: now, updatedAt: now, version: 1 };

    expect(await store.connectors.find(connector.id)).toEqual(stored);
    expect(await store.connectors.findByKey(connector.key)).toEqual(stored);
    const counts = { connected: 0, reconnectRequired: 0, disconnecting: 0 };
    expect(await store.connectors.describe(connector.key)).toEqual({
      ...stored,
      owners: [],
      connections: counts,
      test: null,
    });
  });

  test("keeps its secret, as it is sealed by now, when a change does not name it", async () => {
    const clientSecret = testSealed();
    const { clientSecret: _none, ...connector } = testConnector();
    await store.connectors.save({ ...connector, clientSecret }, now);
    const to = testSealed("env:2222222222222222");
    await store.sealedSecrets.replace("connectors", [{ id: connector.id, from: clientSecret, to }]);
    await store.connectors.save({ ...connector, name: "Other" }, at(1));

    expect(await store.connectors.find(connector.id)).toMatchObject({
      name: "Other",
      version: 2,
      clientSecret: to,
    });
    await store.connectors.save({ ...connector, clientSecret: null }, at(2));
    expect((await store.connectors.find(connector.id))?.clientSecret).toBeNull();
  });

  test("is listed with its connections, and found by key, name and kind", async () => {
    const connector = testConnector({ name: "Zettelkasten", enabled: false });
    await store.connectors.save(connector, now);
    await connect(store, { connectorId: connector.id, userId, now });
    const request = { limit: 5, sort: "name" as const, descending: false, after: undefined };

    for (const q of ["zettel", connector.key]) {
      const { items } = await store.connectors.list({ ...request, q, enabled: false });
      expect(items).toMatchObject([{ key: connector.key, connections: { connected: 1 } }]);
    }
    expect((await store.connectors.list({ ...request, q: "zettel", enabled: true })).items).toEqual([]);
    expect((await store.connectors.listEnabled()).map(({ id }) => id)).not.toContain(connector.id);
  });
});

describe("an attempt", () => {
  const connector = testConnector();
  const sessionId = randomUUID();
  beforeAll(() => store.connectors.save(connector, now));

  async function begin(): Promise<{ id: string; stateHash: Buffer }> {
    const id = randomUUID();
    const attempt = { id, connectorId: connector.id, userId, clientId: "authz-cli", scopes: ["a", "b"] };
    expect(await store.connectionAttempts.insert({ ...attempt, createdAt: now, expiresAt: at(600) })).toBe(
      true,
    );
    return { id, stateHash: Buffer.from(id) };
  }
  async function opened(): Promise<{ id: string; stateHash: Buffer }> {
    const attempt = await begin();
    const open = { ...attempt, userId, sessionId, scopes: ["a"], now: at(1) };
    expect(await store.connectionAttempts.open(open)).toMatchObject({ openedAt: at(1), scopes: ["a"] });
    return attempt;
  }

  test("is not begun at a connector that is disabled or gone", async () => {
    const disabled = testConnector({ enabled: false });
    await store.connectors.save(disabled, now);
    for (const connectorId of [disabled.id, randomUUID()]) {
      const attempt = { id: randomUUID(), connectorId, userId, clientId: null, scopes: [] };
      const begun = await store.connectionAttempts.insert({ ...attempt, createdAt: now, expiresAt: at(600) });
      expect(begun).toBe(false);
    }
  });

  test("belongs to one person", async () => {
    const { id } = await begin();
    const expected = { id, connectorId: connector.id, userId, clientId: "authz-cli", scopes: ["a", "b"] };
    const open = { openedAt: null, takenAt: null, outcome: null, createdAt: now, expiresAt: at(600) };
    expect(await store.connectionAttempts.find({ id, userId })).toEqual({ ...expected, ...open });
    expect(await store.connectionAttempts.find({ id, userId: randomUUID() })).toBeUndefined();
  });

  const opening = [
    { name: "another person", change: { userId: randomUUID() } },
    { name: "its person after its time", change: { now: at(600) } },
  ];
  test.each(opening)("is not opened by $name", async ({ change }) => {
    const attempt = await begin();
    const open = { ...attempt, userId, sessionId, scopes: [], now, ...change };
    expect(await store.connectionAttempts.open(open)).toBeUndefined();
  });

  test("is opened once", async () => {
    const attempt = await begin();
    const openings = Array.from({ length: 10 }, (_, index) => ({
      ...attempt,
      stateHash: Buffer.from(`${attempt.id}${index}`),
    }));
    const found = await Promise.all(
      openings.map((each) => store.connectionAttempts.open({ ...each, userId, sessionId, scopes: [], now })),
    );
    expect(found.filter((each) => each !== undefined)).toHaveLength(1);
  });

  const taking = [
    { name: "another state", change: { stateHash: Buffer.from("other") } },
    { name: "another session", change: { sessionId: randomUUID() } },
    { name: "another person", change: { userId: randomUUID() } },
    { name: "a callback after its time", change: { now: at(600) } },
  ];
  test.each(taking)("is not taken by $name", async ({ change }) => {
    const { stateHash } = await opened();
    const take = { stateHash, sessionId, userId, now, ...change };
    expect(await store.connectionAttempts.take(take)).toBeUndefined();
  });

  test("is taken by one of twenty callbacks that come together", async () => {
    const { id, stateHash } = await opened();
    const take = { stateHash, sessionId, userId, now: at(5) };
    const taken = await Promise.all(Array.from({ length: 20 }, () => store.connectionAttempts.take(take)));
    expect(taken.filter((each) => each !== undefined)).toMatchObject([{ id, takenAt: at(5) }]);
  });

  test("ends once, and is neither opened nor taken after that", async () => {
    const [first, second] = [await begin(), await opened()];
    const failed = { state: "failed" as const, error: "access_denied" };
    for (const { id } of [first, second]) {
      expect(await store.connectionAttempts.conclude({ id, outcome: failed })).toBe(true);
    }
    const { id } = second;
    expect(await store.connectionAttempts.conclude({ id, outcome: { state: "connected" } })).toBe(false);
    expect(await store.connectionAttempts.find({ id, userId })).toMatchObject({ outcome: failed });
    const person = { userId, sessionId, now };
    expect(await store.connectionAttempts.open({ ...first, ...person, scopes: [] })).toBeUndefined();
    expect(await store.connectionAttempts.take({ ...second, ...person })).toBeUndefined();
  });

  test("is removed an hour after its time", async () => {
    const { id } = await begin();
    const removeAfter = async (seconds: number) => {
      await database.query(
        "UPDATE connection_attempts SET expires_at = now() - $2 * interval '1 second' WHERE id = $1",
        [id, seconds],
      );
      return await store.expiredRecords.remove("connection_attempts", { keepSeconds: 3600, limit: 1000 });
    };
    expect(await removeAfter(3500)).toBe(0);
    expect(await removeAfter(3601)).toBe(1);
  });
});

describe("a call", () => {
  async function call(changes: object = {}) {
    const connector = testConnector();
    await store.connectors.save(connector, now);
    const connection = await connect(store, { connectorId: connector.id, userId, now });
    const begun = {
      id: randomUUID(),
      connector: connector.key,
      userId,
      clientId: "authz-cli",
      requestId: "r-1",
      method: "GET",
      host: "api.notes.example",
      pathTemplate: "/notes/{id}",
      startedAt: at(10),
      ...changes,
    };
    return { connector, connection, begun };
  }
  const event = (type: string) => ({
    at: at(11),
    type,
    version: 1,
    outcome: "success" as const,
    actorType: "user" as const,
    actorId: userId,
    subject: userId,
    clientId: null,
    requestId: null,
    data: {},
  });
  const orphans = async (seconds: number) =>
    (await store.forwardedCalls.orphaned({ now: at(seconds), limit: 100 })).map(({ id }) => id);

  const begin = (wanted: Called["begun"]) => store.forwardedCalls.beginThroughConnection(wanted);
  const end = (id: string, type: string) => store.forwardedCalls.end([{ id, event: event(type) }]);
  const lastUse = async (id: string) => (await store.connections.find(id))?.lastUsedAt;

  test("returns the inputs of its decision, and is found when its process died", async () => {
    const { begun, connection, connector } = await call();
    const found = await begin(begun);
    expect(found.connection).toEqual(connection);
    expect(found.connector).toMatchObject({ id: connector.id, requiredScopes: connector.requiredScopes });
    const { connector: key, ...rest } = begun;
    const latest = 10 + connector.limits.timeoutSeconds + 60;
    expect(await orphans(latest)).not.toContain(begun.id);
    expect(await store.forwardedCalls.orphaned({ now: at(latest + 1), limit: 100 })).toContainEqual({
      ...rest,
      connection: { id: connection.id, connector: key },
      service: null,
      endsBefore: at(latest),
    });
  });

  test("notes once a minute that the connection is used, when it ends", async () => {
    const { begun, connection } = await call();
    const use = async (seconds: number) => {
      const id = randomUUID();
      await begin({ ...begun, id, startedAt: at(seconds) });
      await end(id, `test.${id}`);
    };
    await begin(begun);
    await store.forwardedCalls.end([{ id: begun.id, event: undefined }]);
    expect(await lastUse(connection.id)).toBeNull();
    await use(10);
    await use(60);
    expect(await lastUse(connection.id)).toEqual(at(10));
    await use(71);
    expect(await lastUse(connection.id)).toEqual(at(71));
  });

  test("leaves nothing when nothing was sent", async () => {
    const { begun } = await call();
    await begin(begun);
    const before = await database.query("SELECT FROM audit_events");
    expect(await store.forwardedCalls.end([{ id: begun.id, event: undefined }])).toBe(1);
    expect(await orphans(1000)).not.toContain(begun.id);
    expect(await database.query("SELECT FROM audit_events")).toHaveLength(before.length);
  });

  test("ends once, with exactly one event", async () => {
    const { begun } = await call();
    await begin(begun);
    const type = `test.${begun.id}`;
    const ended = await Promise.all(Array.from({ length: 10 }, () => end(begun.id, type)));
    expect(ended.filter(Boolean)).toHaveLength(1);
    expect(await database.query("SELECT FROM audit_events WHERE type = $1", [type])).toHaveLength(1);
    expect(await orphans(1000)).not.toContain(begun.id);
  });

  const refused = [
    { name: "a connection that is being disconnected", change: block },
    { name: "a connection that must be connected again", change: requireReconnect },
    { name: "a connector that is disabled", change: disable },
  ];
  type Called = Awaited<ReturnType<typeof call>>;
  async function block({ connection }: Called) {
    await store.connections.block({ id: connection.id, now });
  }
  async function requireReconnect({ connection }: Called) {
    await store.connections.requireReconnect({ ...connection, reason: "refused" });
  }
  async function disable({ connector }: Called) {
    await store.connectors.save({ ...connector, enabled: false }, now);
  }
  test.each(refused)("does not begin with $name", async ({ change }) => {
    const called = await call();
    await change(called);
    expect((await begin(called.begun)).connection).toBeUndefined();
    expect(await orphans(1000)).not.toContain(called.begun.id);
  });

  test("does not begin with another person's connection", async () => {
    const { begun } = await call({ userId: randomUUID() });
    expect((await begin(begun)).connection).toBeUndefined();
  });
});
