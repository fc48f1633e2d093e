import { afterEach, expect, test, vi } from "vitest";
import { createBatches } from "../../src/store/postgres/batches.js";
import { DatabaseUnavailableError } from "../../src/store/database-unavailable-error.js";

afterEach(() => void vi.useRealTimers());

/** Statements that end when the test says so. */
function heldBatches(keysOf?: (item: string) => readonly string[]) {
  const statements: {
    readonly items: readonly string[];
    end: (results?: readonly string[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const add = createBatches<string, string>({
    run: (items) =>
      new Promise((resolve, reject) => {
        const end = (results: readonly string[] = items.map((item) => `${item}!`)) => resolve(results);
        statements.push({ items, end, fail: reject });
      }),
    ...(keysOf !== undefined && { keysOf }),
  });
  return { add, statements };
}

test("an item that is alone runs at once and alone", async () => {
  const { add, statements } = heldBatches();
  const result = add("a");
  expect(statements.map(({ items }) => items)).toEqual([["a"]]);
  statements[0]?.end();
  expect(await result).toBe("a!");
});

test("what arrives while a statement is under way shares the next one, in its order", async () => {
  const { add, statements } = heldBatches();
  const results = Promise.all(["a", "b", "c", "d"].map(add));
  expect(statements.map(({ items }) => items)).toEqual([["a"]]);
  statements[0]?.end();
  await expect.poll(() => statements.length).toBe(2);
  expect(statements[1]?.items).toEqual(["b", "c", "d"]);
  statements[1]?.end();
  expect(await results).toEqual(["a!", "b!", "c!", "d!"]);
});

test("a crowd does not wait for the statement that is under way", () => {
  const { add, statements } = heldBatches();
  for (let item = 0; item <= 32; item += 1) void add(String(item));
  expect(statements.map(({ items }) => items.length)).toEqual([1, 32]);
});

test("a slow statement delays no others, and at most four run at a time", async () => {
  vi.useFakeTimers();
  const { add, statements } = heldBatches();
  for (const item of ["a", "b", "c", "d", "e"]) {
    void add(item);
    await vi.advanceTimersByTimeAsync(49);
    const before = statements.length;
    await vi.advanceTimersByTimeAsync(1);
    expect(statements.length - before).toBe(0);
  }
  expect(statements.map(({ items }) => items)).toEqual([["a"], ["b"], ["c"], ["d"]]);
  statements[3]?.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(statements.at(-1)?.items).toEqual(["e"]);
});

test("what a late statement let past waits for company again", async () => {
  vi.useFakeTimers();
  const { add, statements } = heldBatches();
  void add("held");
  await vi.advanceTimersByTimeAsync(50);
  for (const item of ["a", "b", "c"]) void add(item);
  statements[1]?.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(statements.map(({ items }) => items)).toEqual([["held"], ["a"], ["b", "c"]]);
});

test("a statement has at most 64 items", async () => {
  const { add, statements } = heldBatches();
  // What is left over is given up after this test.
  for (let item = 0; item < 200; item += 1) add(String(item)).catch(() => undefined);
  statements[0]?.end();
  await expect.poll(() => statements.length).toBe(5);
  expect(statements.map(({ items }) => items.length)).toEqual([1, 32, 32, 32, 64]);
});

test("items that share a key never share a statement", async () => {
  const { add, statements } = heldBatches((item) => [item]);
  const results = Promise.all(["x", "a", "b", "a", "b", "a"].map(add));
  for (let next = 0; next < 4; next += 1) {
    await expect.poll(() => statements.length).toBeGreaterThan(next);
    statements[next]?.end();
  }
  await results;
  expect(statements.map(({ items }) => items)).toEqual([["x"], ["a", "b"], ["a", "b"], ["a"]]);
});

test("a failure reaches every item of the statement, and no other", async () => {
  const { add, statements } = heldBatches();
  const results = Promise.allSettled(["a", "b", "c"].map(add));
  statements[0]?.end();
  await expect.poll(() => statements.length).toBe(2);
  statements[1]?.fail(new Error("gone"));
  expect((await results).map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
});

test("a statement without a result for each item is a failure", async () => {
  const { add, statements } = heldBatches();
  const result = add("a");
  statements[0]?.end([]);
  await expect(result).rejects.toThrow("one result for each item");
});

test.each(["22P05", "23505", "40P01"])(
  "when one item makes a statement fail with %s, each is tried by itself",
  async (code) => {
    const run = (items: readonly string[]) =>
      items.includes("bad")
        ? Promise.reject(Object.assign(new Error("refused"), { code }))
        : Promise.resolve(items.map((item) => `${item}!`));
    const add = createBatches<string, string>({ run });
    const results = await Promise.allSettled(["a", "b", "c", "bad", "d"].map(add));
    expect(results.map((result) => (result.status === "fulfilled" ? result.value : "refused"))).toEqual([
      "a!",
      "b!",
      "c!",
      "refused",
      "d!",
    ]);
  },
);

test("after a lost connection nothing is tried again: it may have been done", async () => {
  let statements = 0;
  const add = createBatches<string, string>({
    run() {
      statements += 1;
      return Promise.reject(Object.assign(new Error("gone"), { code: "08006" }));
    },
  });
  const results = await Promise.allSettled(["a", "b", "c", "d"].map(add));
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "rejected"]);
  expect(statements).toBe(2);
});

test("an item that waits for five seconds is refused, and later ones have their own time", async () => {
  vi.useFakeTimers();
  const { add, statements } = heldBatches();
  const held: Promise<string>[] = [];
  for (const item of ["a", "b", "c", "d"]) {
    held.push(add(item));
    await vi.advanceTimersByTimeAsync(50);
  }
  const early = Promise.allSettled([add("early")]);
  await vi.advanceTimersByTimeAsync(3_000);
  const late = add("late");
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await early).toMatchObject([{ reason: expect.any(DatabaseUnavailableError) as unknown }]);
  for (const { end } of statements) end();
  await Promise.all(held);
  await vi.advanceTimersByTimeAsync(0);
  expect(statements.at(-1)?.items).toEqual(["late"]);
  statements.at(-1)?.end();
  expect(await late).toBe("late!");
});
