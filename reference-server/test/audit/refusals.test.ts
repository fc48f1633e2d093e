import { describe, expect, test } from "vitest";
import { createRefusals, type Refusal, refusalLimits, type Refusals } from "../../src/audit/refusals.js";
import type { OpenStore } from "../../src/store/store.js";
import type { TestDatabase } from "../support/database.js";
import { withStore } from "../support/store.js";

const noon = Date.parse("2026-11-20T12:00:00Z");
const minute = 60_000;
let database: TestDatabase;
let store: OpenStore;
let now: number;
let log: Record<string, unknown>[];
let refusals: Refusals;
let others: Refusals;

withStore("each", (opened) => {
  ({ database, store } = opened);
  now = noon;
  log = [];
  refusals = createProcess();
  others = createProcess();
});

function createProcess(): Refusals {
  const warn = (fields: Record<string, unknown>) => void log.push(fields);
  return createRefusals({ store, clock: () => now, log: { warn } });
}

function wrongKey(grantId: string, requestId = "r"): Refusal {
  return {
    type: "token.refused",
    outcome: "denied",
    actor: { type: "client", id: "authz-cli" },
    at: new Date(now),
    subject: "ada",
    clientId: "authz-cli",
    requestId,
    data: { grantType: "refresh_token", grantId, error: "invalid_grant", reason: "wrong_key" },
  };
}

function deniedAtProvider(): Refusal {
  return {
    type: "sign_in.refused",
    outcome: "denied",
    actor: { type: "system" },
    at: new Date(now),
    data: { provider: "acme", reason: "provider_refused" },
  };
}

async function refuse(times: number, refusal: () => Refusal, { at = refusals, address = "192.0.2.1" } = {}) {
  for (let time = 0; time < times; time += 1) {
    await at.from(address).record(store, refusal());
  }
}

async function recorded() {
  return await store.auditEvents.read({ afterId: "0", limit: 5_000 });
}

async function counted() {
  return (await recorded()).filter(({ type }) => type === "events.counted");
}

/** The hour ends, and what was counted in it is settled. */
async function endHour(): Promise<void> {
  await refusals.run();
  await others.run();
  now = noon + 63 * minute;
  await refusals.run();
}

test("refusals within the limit are events of their own", async () => {
  await refuse(refusalLimits.concern, () => wrongKey("g1"));
  await endHour();
  expect(await recorded()).toHaveLength(refusalLimits.concern);
});

test("refusals beyond the limit of a grant become one event, whatever their parameters", async () => {
  let request = 0;
  const next = () => {
    request += 1;
    now += 1_000;
    const { data, ...event } = wrongKey("g1", `r${request}`) as Extract<Refusal, { type: "token.refused" }>;
    return { ...event, data: { ...data, resource: `https://${request}.example` } };
  };
  await refuse(refusalLimits.concern + 30, next);
  await endHour();
  expect(await recorded()).toHaveLength(refusalLimits.concern + 1);
  expect(await counted()).toMatchObject([
    {
      outcome: "denied",
      actorType: "client",
      actorId: "authz-cli",
      subject: "ada",
      clientId: "authz-cli",
      requestId: null,
      data: {
        event: "token.refused",
        count: 30,
        from: "2026-11-20T12:00:21.000Z",
        to: "2026-11-20T12:00:50.000Z",
        address: null,
        grantType: "refresh_token",
        grantId: "g1",
        error: "invalid_grant",
        reason: "wrong_key",
      },
    },
  ]);
});

test("one grant does not use up the limit of another", async () => {
  await refuse(refusalLimits.concern + 5, () => wrongKey("g1"));
  await refuse(1, () => wrongKey("g2"));
  const own = (await recorded()).filter(({ data }) => data["grantId"] === "g2");
  expect(own).toHaveLength(1);
});

test("processes count together, and their sums are one event", async () => {
  await refuse(refusalLimits.concern, () => wrongKey("g1"));
  await refuse(7, () => wrongKey("g1"), { at: others });
  await refuse(4, () => wrongKey("g1"));
  await endHour();
  expect((await counted()).map(({ data }) => data["count"])).toEqual([11]);
});

test("refusals without a known person are limited by address, and the event names it", async () => {
  await refuse(refusalLimits.address + 40, deniedAtProvider, { address: "198.51.100.7" });
  await refuse(1, deniedAtProvider, { address: "192.0.2.9" });
  await endHour();
  expect(await recorded()).toHaveLength(refusalLimits.address + 2);
  expect((await counted()).map(({ data }) => [data["address"], data["count"]])).toEqual([
    ["198.51.100.7", 40],
  ]);
});

test("coming from many addresses does not evade the limits", async () => {
  const { rateLimits } = store;
  const key = "refusal.anybody sign_in.refused acme";
  await rateLimits.add([{ key, minute: noon / minute + 59, count: refusalLimits.anybody }]);
  await refuse(1, deniedAtProvider, { address: "192.0.2.1" });
  await refuse(1, deniedAtProvider, { address: "192.0.2.2" });
  await endHour();
  expect((await counted()).map(({ data }) => [data["address"], data["count"]])).toEqual([[null, 2]]);
});

test("beyond the limit nothing is asked of the database", async () => {
  await refuse(refusalLimits.concern + 1, () => wrongKey("g1"));
  await database.refuseConnections();
  await refuse(10, () => wrongKey("g1"));
  await database.allowConnections();
  await endHour();
  expect((await counted()).map(({ data }) => data["count"])).toEqual([11]);
});

test("a database that is away loses no count, and neither does a stop", async () => {
  await refuse(refusalLimits.concern + 3, () => wrongKey("g1"));
  await database.refuseConnections();
  await expect(refusals.run()).rejects.toThrow("The database is away");
  await refuse(2, () => wrongKey("g1"));
  await database.allowConnections();
  await refusals.stop();
  now = noon + 63 * minute;
  await others.run();
  expect((await counted()).map(({ data }) => data["count"])).toEqual([5]);
});

test("the next hour has limits of its own", async () => {
  await refuse(refusalLimits.concern + 1, () => wrongKey("g1"));
  now = noon + 61 * minute;
  await refuse(1, () => wrongKey("g1"));
  expect(await recorded()).toHaveLength(refusalLimits.concern + 1);
});

test("an hour is not closed before every process has told its counts", async () => {
  await refuse(refusalLimits.concern + 2, () => wrongKey("g1"));
  await refusals.run();
  now = noon + 61.9 * minute;
  await refusals.run();
  expect(await counted()).toEqual([]);
  now = noon + 63 * minute;
  await refusals.run();
  expect(await counted()).toHaveLength(1);
});

describe("the log", () => {
  test("says once an hour that refusals are counted only", async () => {
    await refuse(refusalLimits.concern + 3, () => wrongKey("g1"));
    await refuse(refusalLimits.concern + 3, () => wrongKey("g2"));
    expect(log).toEqual([
      { code: "AUDIT_REFUSALS_COUNTED", limit: "concern", key: "refusal.concern g1", perHour: 20 },
    ]);
  });
});
