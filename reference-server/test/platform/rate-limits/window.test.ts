import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  emptyWindow,
  minuteOf,
  secondsUntilFree,
  usedOf,
  type Window,
} from "../../../src/platform/rate-limits/window.js";

const minute = minuteOf(Date.UTC(2026, 10, 20, 12));
const at = (seconds: number) => (minute * 60 + seconds) * 1000;
const window = (change: Partial<Window>): Window => ({ ...emptyWindow(minute), ...change });

describe("the requests of the last sixty seconds", () => {
  test.each([
    { name: "none", change: {}, seconds: 10, used: 0 },
    { name: "all of this minute", change: { shared: 3, pending: 2, inFlight: 1 }, seconds: 59, used: 6 },
    { name: "all of the minute before, at its end", change: { previous: 8 }, seconds: 0, used: 8 },
    {
      name: "half of the minute before, thirty seconds later",
      change: { previous: 8, pending: 1 },
      seconds: 30,
      used: 5,
    },
    { name: "nothing of the minute before, a minute later", change: { previous: 8 }, seconds: 60, used: 0 },
    { name: "what was counted before the clock went back", change: { previous: 8 }, seconds: -30, used: 8 },
  ])("are $name", ({ change, seconds, used }) => {
    expect(usedOf(window(change), at(seconds))).toBe(used);
  });
});

test("after the seconds that it names there is room for one more, and never later than two minutes", () => {
  const counts = fc.record({
    limit: fc.integer({ min: 1, max: 10_000 }),
    previous: fc.integer({ min: 0, max: 20_000 }),
    shared: fc.integer({ min: 0, max: 20_000 }),
    seconds: fc.integer({ min: 0, max: 59 }),
  });
  fc.assert(
    fc.property(counts, ({ limit, previous, shared, seconds }) => {
      const now = at(seconds);
      const full = window({ previous, shared });
      fc.pre(usedOf(full, now) + 1 > limit);
      const wait = secondsUntilFree(full, limit, now);
      expect(wait).toBeGreaterThanOrEqual(1);
      expect(wait).toBeLessThanOrEqual(120);
      const later = now + wait * 1000;
      const passed = minuteOf(later) - minute;
      const next =
        passed === 0 ? full : { ...emptyWindow(minute + passed), previous: passed === 1 ? shared : 0 };
      expect(usedOf(next, later) + 1).toBeLessThanOrEqual(limit + 1e-6);
    }),
  );
});
