import { describe, expect, test } from "vitest";
import { recordAudit } from "../../src/audit/record.js";
import { createSeal } from "../../src/audit/seal.js";
import { createSealer } from "../../src/audit/sealer.js";
import { verifyAuditChain } from "../../src/audit/verify-chain.js";
import type { OpenStore } from "../../src/store/store.js";
import type { TestDatabase } from "../support/database.js";
import { eventKey } from "../support/stamp.js";
import { withStore } from "../support/store.js";

const at = new Date("2026-11-20T12:00:00Z");
const sealKey = Buffer.alloc(32, 3);
const log = { info: () => undefined, warn: () => undefined };
let database: TestDatabase;
let store: OpenStore;

withStore("each", (opened) => {
  ({ database, store } = opened);
});

/** Five seals: events 1 to 3, 4 to 6 and so on to 15. */
async function createChain(): Promise<void> {
  const openSealKey = async () => sealKey;
  const sealer = createSealer({ store, openSealKey, eventKey, clock: () => at.getTime(), log });
  for (let id = 1; id <= 15; id += 1) {
    const event = { type: "scope.created", outcome: "success", actor: { type: "operator" }, at } as const;
    await recordAudit(store, { ...event, data: { key: `scope:${id}` } });
    if (id % 3 === 0) await sealer.run();
  }
}

/** What somebody does who owns the database and removes its protection first. */
async function tamper(statement: string): Promise<void> {
  await database.query("SET session_replication_role = replica; " + statement);
}

const verify = (digest?: string) =>
  verifyAuditChain(store, { sealKey, pageSize: 4, ...(digest !== undefined && { digest }) });

test("an empty trail is intact", async () => {
  expect(await verify()).toEqual({
    seals: 0,
    sealedEvents: 0,
    unsealedEvents: 0,
    faults: [],
    head: undefined,
    containsDigest: undefined,
  });
});

test("an untouched chain is intact, and says how much is not sealed yet", async () => {
  await createChain();
  const event = { type: "scope.created", outcome: "success", actor: { type: "operator" }, at } as const;
  await recordAudit(store, { ...event, data: { key: "later" } });

  const report = await verify();

  expect(report).toMatchObject({ seals: 5, sealedEvents: 15, unsealedEvents: 1, faults: [] });
  expect(report.head).toEqual({ id: 5, digest: (await store.auditSeals.last())?.digest.toString("hex") });
});

describe("the chain reveals", () => {
  test.each([
    {
      name: "an edited event",
      change: "UPDATE audit_events SET subject = 'somebody else' WHERE id = 5",
      faults: ["2 events_changed"],
    },
    {
      name: "an event whose time was moved by a microsecond",
      change: "UPDATE audit_events SET at = at + interval '1 microsecond' WHERE id = 5",
      faults: ["2 events_changed"],
    },
    {
      name: "edited data",
      change: `UPDATE audit_events SET data = '{"key":"other:key"}' WHERE id = 9`,
      faults: ["3 events_changed"],
    },
    {
      name: "a missing event",
      change: "DELETE FROM audit_events WHERE id = 1",
      faults: ["1 events_missing"],
    },
    {
      name: "two events whose contents were swapped",
      change: `UPDATE audit_events one SET data = other.data FROM audit_events other
        WHERE (one.id, other.id) IN ((1, 3), (3, 1))`,
      faults: ["1 events_changed"],
    },
    {
      name: "an event that was put into a gap",
      change: `DELETE FROM audit_events WHERE id = 6; INSERT INTO audit_events (id, at, type, version, outcome, actor_type, data)
        OVERRIDING SYSTEM VALUE SELECT 6, at, type, version, outcome, actor_type, data FROM audit_events WHERE id = 1`,
      faults: ["2 events_changed"],
    },
    {
      name: "an event with an id from before the first",
      change: `INSERT INTO audit_events (id, at, type, version, outcome, actor_type, data)
        OVERRIDING SYSTEM VALUE SELECT 0, at, type, version, outcome, actor_type, data FROM audit_events WHERE id = 1`,
      faults: ["1 events_added"],
    },
    {
      name: "a seal that was fitted to edited events",
      change: `UPDATE audit_events SET subject = 'x' WHERE id = 5;
        UPDATE audit_seals SET events_digest = sha256('x') WHERE id = 2`,
      faults: ["2 seal_changed", "2 events_changed"],
    },
    {
      name: "a seal that somebody without the secret made anew",
      change: "UPDATE audit_seals SET mac = sha256('x') WHERE id = 5",
      faults: ["5 seal_forged"],
    },
    {
      name: "a missing seal, with its events",
      change: "DELETE FROM audit_events WHERE id BETWEEN 7 AND 9; DELETE FROM audit_seals WHERE id = 3",
      faults: ["4 seal_missing"],
    },
    {
      name: "missing first seals",
      change: "DELETE FROM audit_events WHERE id < 7; DELETE FROM audit_seals WHERE id < 3",
      faults: ["3 seal_missing"],
    },
  ])("$name", async ({ change, faults }) => {
    await createChain();
    await tamper(change);
    const report = await verify();
    expect(report.faults.map(({ sealId, kind }) => `${sealId} ${kind}`)).toEqual(faults);
  });

  test("an end that was cut off, to those who kept an earlier head", async () => {
    await createChain();
    const { head } = await verify();
    expect(await verify(head?.digest)).toMatchObject({ faults: [], containsDigest: true });

    await tamper("DELETE FROM audit_events WHERE id > 12; DELETE FROM audit_seals WHERE id = 5");

    expect(await verify(head?.digest)).toMatchObject({ faults: [], containsDigest: false });
  });

  test("a seal that continues another chain", async () => {
    await createChain();
    await tamper("DELETE FROM audit_seals WHERE id = 5");
    const [seal] = await store.auditSeals.list({ afterId: 3, limit: 1 });
    if (seal === undefined) throw new Error("the chain is too short");
    const events = await store.auditEvents.read({ afterId: "12", limit: 10 });
    const digest = Buffer.alloc(32, 9);
    await store.auditSeals.insert(createSeal({ ...seal, digest }, events, { sealKey, at, unproven: [] }));
    expect((await verify()).faults.map(({ sealId, kind }) => `${sealId} ${kind}`)).toEqual(["5 link_broken"]);
  });
});

test("parts that follow each other find what the whole finds", async () => {
  await createChain();
  await tamper("UPDATE audit_events SET data = '{}' WHERE id = 8");
  const parts = [];
  let nextAfter: number | undefined = 0;
  while (nextAfter !== undefined) {
    const [after] = await store.auditSeals.list({ afterId: nextAfter - 1, limit: 1 });
    const begin = nextAfter === 0 || after === undefined ? {} : { after };
    const part = await verifyAuditChain(store, { sealKey, pageSize: 4, maxEvents: 4, ...begin });
    parts.push(part);
    ({ nextAfter } = part);
  }
  const whole = await verify();
  expect(parts.map(({ seals }) => seals)).toEqual([2, 2, 1]);
  expect(parts.flatMap(({ faults }) => faults)).toEqual(whole.faults);
  expect(parts.at(-1)?.head).toEqual(whole.head);
});
