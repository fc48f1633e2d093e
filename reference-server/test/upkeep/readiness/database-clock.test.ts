import { expect, test } from "vitest";
import { createDatabaseClock } from "../../../src/upkeep/readiness/database-clock.js";

/** A machine whose clock and whose passing of time a test sets. */
function machine(system: number) {
  const state = { system, passed: 0 };
  const clock = createDatabaseClock({ systemClock: () => state.system, monotonic: () => state.passed });
  return { state, clock };
}

test("until the database has told the time, it is that of the machine", () => {
  const { clock } = machine(5_000);
  expect(clock.now()).toBe(5_000);
  expect(clock.differenceSeconds()).toBe(0);
});

test("afterwards time goes on from there, however the clock of the machine is set", () => {
  const { state, clock } = machine(5_000);
  clock.learn({ time: new Date(100_000), askedAt: 0, answeredAt: 0 });
  expect(clock.now()).toBe(100_000);
  state.passed = 1_500;
  state.system = 0;
  expect(clock.now()).toBe(101_500);
  expect(clock.differenceSeconds()).toBe(-101.5);
});

test("a first answer counts for the middle of the time that it took", () => {
  const { state, clock } = machine(0);
  state.passed = 400;
  clock.learn({ time: new Date(100_000), askedAt: 0, answeredAt: 400 });
  expect(clock.now()).toBe(100_200);
});

test.each([
  {
    name: "slow, and agrees",
    asked: { time: new Date(101_000), askedAt: 0, answeredAt: 4_000 },
    now: 104_000,
  },
  { name: "late", asked: { time: new Date(103_000), askedAt: 3_000, answeredAt: 4_000 }, now: 104_000 },
  { name: "ahead", asked: { time: new Date(160_000), askedAt: 3_900, answeredAt: 4_000 }, now: 160_000 },
  { name: "behind", asked: { time: new Date(60_000), askedAt: 3_900, answeredAt: 4_000 }, now: 60_100 },
])("a later answer that is $name changes only what it disproves", ({ asked, now }) => {
  const { state, clock } = machine(0);
  clock.learn({ time: new Date(100_000), askedAt: 0, answeredAt: 0 });
  state.passed = 4_000;
  clock.learn(asked);
  expect(clock.now()).toBe(now);
});
