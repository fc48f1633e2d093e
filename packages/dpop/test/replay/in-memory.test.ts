import { type InMemoryOptions, inMemory, ReplayStoreUnavailableError } from "@authz/dpop";
import { describe, expect, test } from "vitest";
import { isClusterWorker, warnAboutSeveralProcesses } from "../../src/replay/in-memory.js";

function createStore(options: InMemoryOptions = {}) {
  let seconds = 1_000_000;
  const clock = () => seconds * 1000;
  const store = inMemory({ clock, ...options });
  return {
    advance: (by: number) => (seconds += by),
    consume: (key: string, lifeSeconds = 65) =>
      store.consume({ key, expiresAt: seconds + lifeSeconds }) as boolean,
  };
}

test("a key is new once", () => {
  const store = createStore();
  expect(store.consume("a")).toBe(true);
  expect(store.consume("a")).toBe(false);
  expect(store.consume("b")).toBe(true);
});

test("a key is remembered through the last second of its life", () => {
  const store = createStore();
  store.consume("a", 65);
  for (let second = 0; second < 65; second++) {
    store.advance(1);
    store.consume(`other-${second}`);
    expect(store.consume("a")).toBe(false);
  }
});

test("a key is remembered for any lifetime of its next use", () => {
  const store = createStore();
  store.consume("proof", 65);
  store.consume("assertion", 300);
  expect(store.consume("proof", 300)).toBe(false);
  expect(store.consume("assertion", 65)).toBe(false);
});

test("concurrent uses of one key are accepted once", async () => {
  const store = createStore();
  const answers = await Promise.all(Array.from({ length: 50 }, async () => store.consume("a")));
  expect(answers.filter(Boolean)).toHaveLength(1);
});

test("a full store throws instead of forgetting", () => {
  const store = createStore({ maxEntries: 2 });
  store.consume("a");
  store.consume("b", 300);
  expect(() => store.consume("c")).toThrow(ReplayStoreUnavailableError);
  expect(() => store.consume("c")).toThrow("maxEntries");
  expect(store.consume("a")).toBe(false);
});

test("a full store is of use again when its keys have expired", () => {
  const store = createStore({ maxEntries: 2 });
  store.consume("a");
  store.consume("b");
  store.advance(66);
  expect(store.consume("c")).toBe(true);
});

test("under steady use it holds a small multiple of what is alive", () => {
  const store = createStore({ maxEntries: 3 * 65 });
  for (let second = 0; second < 1000; second++) {
    expect(store.consume(`key-${second}`)).toBe(true);
    store.advance(1);
  }
});

test("a few long-lived keys do not hold on to many short-lived ones", () => {
  const store = createStore({ maxEntries: 3 * 65 + 10 });
  for (let second = 0; second < 1000; second++) {
    if (second % 100 === 0) store.consume(`assertion-${second}`, 300);
    expect(store.consume(`proof-${second}`)).toBe(true);
    store.advance(1);
  }
});

describe("misuse is a TypeError that names the option", () => {
  test.each<[string, unknown, string]>([
    ["null", null, "options"],
    ["no room at all", { maxEntries: 0 }, "maxEntries"],
    ["more room than it can have", { maxEntries: 2 ** 24 }, "maxEntries"],
    ["room that is a string", { maxEntries: "many" }, "maxEntries"],
    ["an unknown option", { max: 1 }, '"max"'],
    ["a clock that is a number", { clock: 1 }, "clock"],
  ])("%s", (_, options, message) => {
    const create = () => inMemory(options as InMemoryOptions);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
  });
});

test("a clock that was ahead and is set back makes nothing new that was forgotten, and says so", () => {
  const store = createStore();
  store.consume("a");
  store.advance(360);
  store.consume("b");
  store.consume("c");
  store.advance(-350);
  expect(() => store.consume("a", 55)).toThrow(ReplayStoreUnavailableError);
  expect(() => store.consume("new", 55)).toThrow(
    /was set back.* until 1970-01-12T13:47:45.000Z at the latest/,
  );
  expect(store.consume("d")).toBe(true);
});

test("a use that has expired already is never the first", () => {
  expect(createStore().consume("a", -1)).toBe(false);
});

test("an ordinary process is no cluster worker", () => {
  expect(isClusterWorker()).toBe(false);
});

test("a cluster worker is warned once, with a code and the way out", async () => {
  const warnings: Error[] = [];
  const listener = (warning: Error): void => {
    warnings.push(warning);
  };
  process.on("warning", listener);
  warnAboutSeveralProcesses();
  warnAboutSeveralProcesses();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listener);
  expect(warnings).toEqual([
    expect.objectContaining({ name: "AuthzWarning", code: "AUTHZ_REPLAY_IN_MEMORY" }),
  ]);
  expect(warnings[0]?.message).toContain("@authz/replay-postgres");
});
