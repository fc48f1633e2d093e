import { beforeEach, describe, expect, test } from "vitest";
import {
  defaultRateLimits,
  type RateLimitName,
  type RateLimits,
} from "../../../src/platform/rate-limits/limits.js";
import {
  createRateLimiter,
  RateLimitedError,
  type RateLimiter,
} from "../../../src/platform/rate-limits/rate-limiter.js";
import type { RateLimitStore } from "../../../src/platform/rate-limits/shared-counts.js";
import type { OpenStore } from "../../../src/store/store.js";
import { DatabaseUnavailableError } from "../../../src/store/database-unavailable-error.js";
import type { TestDatabase } from "../../support/database.js";
import { createTestClock } from "../../support/server.js";
import { withStore } from "../../support/store.js";

let database: TestDatabase;
let store: OpenStore;
let clock: ReturnType<typeof createTestClock>;
let log: Record<string, unknown>[];
withStore("all", (opened) => {
  ({ database, store } = opened);
});
beforeEach(async () => {
  clock = createTestClock();
  log = [];
  await database.query("TRUNCATE rate_limits");
});

/** Counts the statements that a limiter costs. */
function counted(): RateLimitStore & { statements: number } {
  const spy = {
    statements: 0,
    add(counts: Parameters<RateLimitStore["add"]>[0]) {
      spy.statements += 1;
      return store.rateLimits.add(counts);
    },
  };
  return spy;
}

function limiter(
  change: Partial<Record<RateLimitName, number>> | undefined,
  options: { store?: RateLimitStore; maxKeys?: number } = {},
): RateLimiter {
  const limits: RateLimits = change && { ...defaultRateLimits, ...change };
  const write = (fields: Record<string, unknown>) => void log.push(fields);
  return createRateLimiter({ store: store.rateLimits, limits, clock, log: { warn: write }, ...options });
}

/** How many of so many requests pass. */
async function passing(times: number, take: () => Promise<void>): Promise<number> {
  let passed = 0;
  for (let index = 0; index < times; index += 1) {
    try {
      await take();
      passed += 1;
    } catch (error) {
      if (!(error instanceof RateLimitedError)) throw error;
    }
  }
  return passed;
}

test("a request far below its limit costs no statement", async () => {
  const spy = counted();
  const { take } = limiter({ "token.address": 100 }, { store: spy });
  expect(await passing(50, () => take("token.address", "192.0.2.1"))).toBe(50);
  expect(spy.statements).toBe(0);
});

test("a request counts as what it costs, here and in the database", async () => {
  const { take } = limiter({ "token.address": 10 });
  const takeOf = (cost: number) => () => take("token.address", "192.0.2.1", cost);
  expect(await passing(3, takeOf(4))).toBe(2);
  expect([await passing(1, takeOf(2)), await passing(1, takeOf(1))]).toEqual([1, 0]);
});

test("a request that costs more than a limit has passes when it is the only one", async () => {
  const { take } = limiter({ "token.address": 10 });
  expect(await passing(2, () => take("token.address", "192.0.2.1", 100))).toBe(1);
});

test("all counts go to the database in one statement", async () => {
  const spy = counted();
  const { take, sync } = limiter({}, { store: spy });
  for (const key of ["192.0.2.1", "192.0.2.2", "192.0.2.2"]) {
    await take("token.address", key);
  }
  await sync();
  await sync();
  expect(spy.statements).toBe(1);
  expect(await database.query("SELECT key, count FROM rate_limits ORDER BY key")).toEqual([
    { key: "token.address 192.0.2.1", count: 1 },
    { key: "token.address 192.0.2.2", count: 2 },
  ]);
});

test("exactly the limit passes, then the error says how long to wait", async () => {
  const { take, refused } = limiter({ "token.address": 20 });
  expect(await passing(30, () => take("token.address", "192.0.2.1"))).toBe(20);
  await expect(take("token.address", "192.0.2.1")).rejects.toMatchObject({
    limit: "token.address",
    statusCode: 429,
    retryAfterSeconds: 63,
  });
  expect(refused()).toMatchObject({ "token.address": 11, "token.client": 0 });
  expect(await passing(1, () => take("token.address", "192.0.2.2"))).toBe(1);
});

test("what was used becomes free again little by little", async () => {
  const { take } = limiter({ "token.address": 20 });
  await passing(20, () => take("token.address", "192.0.2.1"));
  clock.advance(60 + 30);
  expect(await passing(20, () => take("token.address", "192.0.2.1"))).toBe(10);
  clock.advance(120);
  expect(await passing(30, () => take("token.address", "192.0.2.1"))).toBe(20);
});

test("a refused request costs no statement", async () => {
  const spy = counted();
  const { take } = limiter({ "token.address": 10 }, { store: spy });
  await passing(10, () => take("token.address", "192.0.2.1"));
  const before = spy.statements;
  expect(await passing(100, () => take("token.address", "192.0.2.1"))).toBe(0);
  expect(spy.statements).toBe(before);
});

describe("several processes", () => {
  test("share a limit: near it every request is counted in the database", async () => {
    const [one, other] = [limiter({ "token.address": 40 }), limiter({ "token.address": 40 })];
    let turn = 0;
    const take = () => {
      turn += 1;
      return (turn % 2 === 0 ? one : other).take("token.address", "192.0.2.1");
    };
    const first = await passing(40, take);
    await Promise.all([one.sync(), other.sync()]);
    expect(first).toBe(40);
    expect(await passing(10, take)).toBe(0);
  });

  test("never let more pass than an exact limit, also at the same moment", async () => {
    const processes = Array.from({ length: 4 }, () => limiter({ "set-up.address": 5 }));
    const results = await Promise.allSettled(
      processes.flatMap(({ take }) => Array.from({ length: 10 }, () => take("set-up.address", "192.0.2.1"))),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
  });

  test("learn from each other by the next second", async () => {
    const [one, other] = [limiter({ "token.address": 20 }), limiter({ "token.address": 20 })];
    await passing(20, () => one.take("token.address", "192.0.2.1"));
    await passing(1, () => other.take("token.address", "192.0.2.1"));
    await other.sync();
    expect(await passing(5, () => other.take("token.address", "192.0.2.1"))).toBe(0);
  });

  test("add what was counted before the minute ended to that minute", async () => {
    const { take, sync } = limiter({});
    await take("token.address", "192.0.2.1");
    clock.advance(60);
    await take("token.address", "192.0.2.1");
    await sync();
    const rows = await database.query<{ count: number }>("SELECT count FROM rate_limits ORDER BY minute");
    expect(rows).toEqual([{ count: 1 }, { count: 1 }]);
  });
});

describe("while the database is away", () => {
  const away: RateLimitStore = { add: () => Promise.reject(new DatabaseUnavailableError("away")) };

  test("requests far below their limit pass, and no count is lost", async () => {
    let answers = false;
    const flaky: RateLimitStore = { add: (counts) => (answers ? store.rateLimits : away).add(counts) };
    const { take, sync } = limiter({}, { store: flaky });
    await take("token.address", "192.0.2.1");
    await expect(sync()).rejects.toThrow("away");
    clock.advance(60);
    await take("token.address", "192.0.2.1");
    await expect(sync()).rejects.toThrow("away");
    answers = true;
    await sync();
    const rows = await database.query<{ count: number }>("SELECT count FROM rate_limits ORDER BY minute");
    expect(rows).toEqual([{ count: 1 }, { count: 1 }]);
  });

  test("an exact limit refuses with the database's error, never lets pass", async () => {
    const { take } = limiter({}, { store: away });
    await expect(take("set-up.address", "192.0.2.1")).rejects.toThrow(DatabaseUnavailableError);
  });
});

test("keys are bounded; what is old makes room", async () => {
  const { take, sync } = limiter({ "token.address": 1 }, { maxKeys: 2 });
  await take("token.address", "192.0.2.1");
  await take("token.address", "192.0.2.2");
  expect(await passing(2, () => take("token.address", "192.0.2.3"))).toBe(2);
  clock.advance(180);
  await sync();
  clock.advance(60);
  await sync();
  expect(await passing(2, () => take("token.address", "192.0.2.3"))).toBe(1);
});

test("an exact limit holds also when no key has room any more", async () => {
  const { take } = limiter({ "user-code.person": 2 }, { maxKeys: 1 });
  await take("token.address", "192.0.2.1");
  expect(await passing(5, () => take("user-code.person", "ada"))).toBe(2);
});

test("refusals are logged once a minute for each limit", async () => {
  const { take } = limiter({ "token.address": 1 });
  await passing(5, () => take("token.address", "192.0.2.1"));
  await passing(5, () => take("token.address", "192.0.2.2"));
  expect(log).toEqual([
    { code: "RATE_LIMITED", limit: "token.address", key: "token.address 192.0.2.1", perMinute: 1 },
  ]);
});

test("limits that are switched off count nothing", async () => {
  const { take, sync } = limiter(undefined);
  expect(await passing(100, () => take("set-up.address", "192.0.2.1"))).toBe(100);
  await sync();
  expect(await database.query("SELECT * FROM rate_limits")).toEqual([]);
});
