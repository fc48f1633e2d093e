import { describe, expect, test } from "vitest";
import { createEventStamp } from "../../src/audit/event-proof.js";
import { recordAllAudits, recordAudit, toAuditRow } from "../../src/audit/record.js";
import { deriveEventKey } from "../../src/audit/seal.js";
import { createSealer, type Sealer } from "../../src/audit/sealer.js";
import { verifyAuditChain } from "../../src/audit/verify-chain.js";
import type { OpenStore } from "../../src/store/store.js";
import type { TestDatabase } from "../support/database.js";
import { eventKey, stampEvent, testSecret } from "../support/stamp.js";
import { withStore } from "../support/store.js";

const sealKey = testSecret;
const noon = new Date("2026-11-20T12:00:00Z");
let database: TestDatabase;
let store: OpenStore;
let now: number;
let log: Record<string, unknown>[];
let sealer: Sealer;

withStore("each", (opened) => {
  ({ database, store } = opened);
  now = noon.getTime();
  log = [];
  const warn = (fields: Record<string, unknown>) => void log.push(fields);
  sealer = createSealer({
    store,
    openSealKey: async () => sealKey,
    eventKey,
    clock: () => now,
    log: { info: () => undefined, warn },
  });
});

const scopeCreated = (key: string, at = noon) =>
  ({ type: "scope.created", outcome: "success", actor: { type: "operator" }, at, data: { key } }) as const;

/** What somebody does who may insert rows into the table. */
async function insert(key: string, mac: Buffer | null, at = noon): Promise<void> {
  await database.query(
    `INSERT INTO audit_events (at, type, version, outcome, actor_type, data, mac)
     VALUES ($1, 'scope.created', 1, 'success', 'operator', jsonb_build_object('key', $2::text), $3)`,
    [at, key, mac],
  );
}

const copySql = `
  INSERT INTO audit_events (at, type, version, outcome, actor_type, actor_id, subject, client_id, request_id, data, mac)
  SELECT at, type, version, outcome, actor_type, actor_id, subject, client_id, request_id, data, mac
  FROM audit_events WHERE id = 1`;

async function faults(): Promise<readonly string[]> {
  const report = await verifyAuditChain(store, { sealKey });
  return report.faults.map(({ kind, firstEventId }) => `${kind} ${firstEventId}`);
}

test("events of the server are proven, one by one and in one statement, with any text", async () => {
  const data = { from: 'quotes " \\ and ünïcode \u2028', to: "ß" };
  await recordAudit(store, { ...scopeCreated("a"), type: "installation.changed", data: { name: data } });
  await recordAllAudits(store, [
    { ...scopeCreated("b"), requestId: "r", clientId: "c", subject: "s", actor: { type: "user", id: "u" } },
    { ...scopeCreated("c"), type: "provider.changed", data: { key: "k", fields: [] } },
  ]);
  await sealer.run();
  expect(await faults()).toEqual([]);
  expect((await store.auditSeals.last())?.unproven).toEqual([]);
});

test("two events that say the same in the same millisecond are both proven", async () => {
  await recordAllAudits(store, [scopeCreated("a"), scopeCreated("a")]);
  await sealer.run();
  expect(await faults()).toEqual([]);
});

describe("a seal does not vouch for", () => {
  const strangersKey = createEventStamp(deriveEventKey(Buffer.alloc(32, 4)));
  test.each([
    { name: "a row without a proof", forge: () => insert("x", null) },
    { name: "a row with a proof that is none", forge: () => insert("x", Buffer.from("x")) },
    {
      name: "a row with a proof by another key",
      forge: () => insert("x", strangersKey(toAuditRow(scopeCreated("x")))),
    },
    {
      name: "a row with the proof of another event",
      forge: () => insert("x", stampEvent(toAuditRow(scopeCreated("y")))),
    },
    { name: "a copy of an event with its proof", forge: async () => void (await database.query(copySql)) },
  ])("$name", async ({ forge }) => {
    await recordAudit(store, scopeCreated("a"));
    await sealer.run();
    await forge();
    await recordAudit(store, scopeCreated("b"));
    await sealer.run();
    expect(await faults()).toEqual(["event_forged 2"]);
    expect(log).toContainEqual({ code: "AUDIT_EVENTS_FORGED", count: 1, events: ["2"] });
  });

  test("an event of long ago that was archived meanwhile and is put back", async () => {
    const old = stampEvent(toAuditRow(scopeCreated("a")));
    now += 48 * 3600 * 1000;
    await recordAudit(store, scopeCreated("b", new Date(now)));
    await sealer.run();
    await insert("a", old);
    await sealer.run();
    expect(await faults()).toEqual(["event_forged 2"]);
  });
});

test("what a seal says about an event cannot be taken out of it", async () => {
  await insert("x", null);
  await sealer.run();
  await database.query("SET session_replication_role = replica; UPDATE audit_seals SET unproven = '{}'");
  expect(await faults()).toEqual(["seal_changed 1"]);
});
