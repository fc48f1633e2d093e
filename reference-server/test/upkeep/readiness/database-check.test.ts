import { expect, test, vi } from "vitest";
import { createDatabaseCheck } from "../../../src/upkeep/readiness/database-check.js";
import { createDatabaseClock } from "../../../src/upkeep/readiness/database-clock.js";
import { DatabaseUnavailableError } from "../../../src/store/database-unavailable-error.js";

const time = Date.UTC(2026, 10, 20, 12);

/** A process whose clock is off by so many seconds. */
function processWith(offset: number, checkWrite: () => Promise<Date> = async () => new Date(time)) {
  const state = { passed: 0 };
  const warnings: unknown[] = [];
  const monotonic = () => state.passed;
  const clock = createDatabaseClock({ systemClock: () => time + offset * 1000 + state.passed, monotonic });
  const store = { checkWrite: vi.fn(checkWrite) };
  const log = { warn: (fields: unknown) => void warnings.push(fields) };
  return { state, store, warnings, check: createDatabaseCheck({ store, clock, monotonic, log }) };
}

test.each([
  { offset: 0, status: "ready" },
  { offset: 30, status: "ready" },
  { offset: -30, status: "ready" },
  { offset: 31, status: "clock_differs" },
  { offset: -3600, status: "clock_differs" },
])("a clock that is $offset s off is $status", async ({ offset, status }) => {
  expect(await processWith(offset).check.run()).toMatchObject({ status });
});

test("a difference is in the log, once a minute", async () => {
  const { state, warnings, check } = processWith(-360);
  await check.run();
  state.passed = 59_000;
  await check.run();
  expect(warnings).toEqual([{ code: "CLOCK_DIFFERS", seconds: -360 }]);
  state.passed = 61_000;
  await check.run();
  expect(warnings).toHaveLength(2);
});

test("a small difference is not reported", async () => {
  const { warnings, check } = processWith(5);
  await check.run();
  expect(warnings).toEqual([]);
});

test("many questions at once, or within a second, cost the database one statement", async () => {
  const { state, store, check } = processWith(0);
  await Promise.all([check.run(), check.run(), check.run()]);
  state.passed = 900;
  await check.run();
  expect(store.checkWrite).toHaveBeenCalledTimes(1);
  state.passed = 1_000;
  await check.run();
  expect(store.checkWrite).toHaveBeenCalledTimes(2);
});

test("a database that stores nothing is away; one that answers nothing is away in time", async () => {
  vi.useFakeTimers();
  try {
    const cause = new DatabaseUnavailableError("away");
    expect(await processWith(0, () => Promise.reject(cause)).check.run()).toEqual({
      status: "database_away",
      cause,
    });
    const state = processWith(0, () => new Promise(() => undefined)).check.run();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await state).toMatchObject({ status: "database_away" });
  } finally {
    vi.useRealTimers();
  }
});
