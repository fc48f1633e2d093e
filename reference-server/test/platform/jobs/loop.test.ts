import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLoop } from "../../../src/platform/jobs/loop.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const nobody = () => undefined;

test("a run begins so many seconds after the end of the one before, and never beside it", async () => {
  const ends: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => void ends.push(resolve));
  const loop = createLoop({ everySeconds: 5, work, onError: nobody });
  loop.start();
  expect(ends).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(ends).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(ends).toHaveLength(2);
});

test("a run that fails is reported, and the next one comes", async () => {
  const told: unknown[] = [];
  let runs = 0;
  const loop = createLoop({
    everySeconds: 1,
    work: () => (runs++ === 1 ? Promise.resolve() : Promise.reject(new Error(`run ${runs}`))),
    onError: (error, { failed }) => void told.push([(error as Error).message, failed]),
  });
  loop.start();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(told).toEqual([
    ["run 1", 1],
    ["run 3", 1],
  ]);
  await loop.stop();
});

test("runs that go on failing are reported once a minute, with their number", async () => {
  const told: number[] = [];
  const loop = createLoop({
    everySeconds: 1,
    work: () => Promise.reject(new Error("away")),
    onError: (_error, { failed }) => void told.push(failed),
  });
  loop.start();
  await vi.advanceTimersByTimeAsync(122_000);
  expect(told).toEqual([1, 60, 60]);
  await loop.stop();
});

test("stopping tells the run that is under way, waits for it, and lets no other begin", async () => {
  const seen: string[] = [];
  const loop = createLoop({
    everySeconds: 1,
    work: (signal) =>
      new Promise((resolve) => {
        seen.push("begun");
        signal.addEventListener("abort", () => {
          seen.push("told");
          resolve();
        });
      }),
    onError: nobody,
  });
  loop.start();
  await vi.advanceTimersByTimeAsync(1_000);
  await loop.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(seen).toEqual(["begun", "told"]);
});
