import { describe, expect, test } from "vitest";
import { recordAudit } from "../../src/audit/record.js";
import type { OpenStore } from "../../src/store/store.js";
import type { TestDatabase } from "../support/database.js";
import { withStore } from "../support/store.js";

let database: TestDatabase;
let store: OpenStore;
const at = new Date("2026-11-20T12:00:00Z");
const event = {
  type: "scope.created",
  outcome: "success",
  actor: { type: "operator" },
  at,
  data: { key: "contracts:read" },
} as const;

withStore("all", async (opened) => {
  ({ database, store } = opened);
  await recordAudit(store, event);
});

test("an event is stored with its version and envelope", async () => {
  const actor = { type: "user", id: "u1" } as const;
  await recordAudit(store, { ...event, actor, subject: "u2", clientId: "authz-cli", requestId: "r1" });

  expect((await store.auditEvents.read({ afterId: "0", limit: 10 })).at(-1)).toEqual({
    id: expect.any(String) as string,
    at: "2026-11-20T12:00:00.000000Z",
    type: "scope.created",
    version: 1,
    outcome: "success",
    actorType: "user",
    actorId: "u1",
    subject: "u2",
    clientId: "authz-cli",
    requestId: "r1",
    data: { key: "contracts:read" },
  });
});

test("an event disappears with the transaction that it belongs to", async () => {
  const before = await store.auditEvents.read({ afterId: "0", limit: 100 });
  const work = store.transaction(async (tx) => {
    await recordAudit(tx, event);
    throw new Error("not issued");
  });
  await expect(work).rejects.toThrow("not issued");
  expect(await store.auditEvents.read({ afterId: "0", limit: 100 })).toHaveLength(before.length);
});

test("events are read page by page, oldest first", async () => {
  await recordAudit(store, { ...event, data: { key: "a:b" } });
  const all = await store.auditEvents.read({ afterId: "0", limit: 100 });
  const rest = await store.auditEvents.read({ afterId: all[0]?.id ?? "", limit: 100 });
  expect(rest).toEqual(all.slice(1));
});

describe("the database refuses, even for the owner of the table, to", () => {
  test.each([
    "UPDATE audit_events SET outcome = 'denied'",
    "UPDATE audit_events SET data = '{}' WHERE id = 1",
    "DELETE FROM audit_events",
    "TRUNCATE audit_events",
  ])("%s", async (statement) => {
    await expect(database.query(statement)).rejects.toThrow("audit_events is append-only");
  });
});
