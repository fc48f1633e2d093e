import { expect, test } from "vitest";
import { KeyCache, ProofKey } from "../../src/proof/key-cache.js";

/** Keys are told apart by their coordinates; none of these is ever imported. */
function keyOf(name: string, headerSegment = `header-of-${name}`): ProofKey {
  const x = Buffer.from(name.padEnd(32, "_")).toString("base64url");
  return new ProofKey(headerSegment, { kty: "EC", crv: "P-256", x, y: x });
}

function remember(cache: KeyCache, name: string, times = 1): void {
  for (let time = 0; time < times; time++) {
    const header = `header-of-${name}`;
    cache.remember(cache.get(header) ?? keyOf(name));
  }
}

test("a key is found under the exact header it came with", () => {
  const cache = new KeyCache(8);
  const key = keyOf("a");
  cache.remember(key);
  expect(cache.get("header-of-a")).toBe(key);
  expect(cache.get("header-of-A")).toBeUndefined();
});

test("a cache of size 0 remembers nothing", () => {
  const cache = new KeyCache(0);
  remember(cache, "a", 3);
  expect(cache.get("header-of-a")).toBeUndefined();
});

test("a cache of size 1 remembers the newest key", () => {
  const cache = new KeyCache(1);
  remember(cache, "a", 2);
  remember(cache, "b", 2);
  expect(cache.get("header-of-a")).toBeUndefined();
  expect(cache.get("header-of-b")).toBeDefined();
});

test("it never holds more keys than its size", () => {
  const cache = new KeyCache(8);
  for (let index = 0; index < 100; index++) remember(cache, `key-${index}`, 1 + (index % 3));
  expect(cache.size).toBeLessThanOrEqual(8);
});

test("a flood of new keys does not evict clients that came back", () => {
  const cache = new KeyCache(8);
  for (const name of ["a", "b", "c", "d", "e", "f"]) remember(cache, name, 2);
  for (let index = 0; index < 1000; index++) remember(cache, `flood-${index}`);
  for (const name of ["a", "b", "c", "d", "e", "f"]) expect(cache.get(`header-of-${name}`)).toBeDefined();
});

test("among protected keys, one that was not used since the cache last came by makes room", () => {
  const cache = new KeyCache(4);
  for (const name of ["a", "b", "c"]) remember(cache, name, 2);
  remember(cache, "a");
  remember(cache, "d", 2);
  expect(cache.get("header-of-a")).toBeDefined();
  expect(cache.get("header-of-b")).toBeUndefined();
});

test("when all protected keys were used, the oldest of them makes room", () => {
  const cache = new KeyCache(4);
  for (const name of ["a", "b", "c"]) remember(cache, name, 3);
  remember(cache, "d", 2);
  expect(cache.get("header-of-a")).toBeUndefined();
  for (const name of ["b", "c", "d"]) expect(cache.get(`header-of-${name}`)).toBeDefined();
});

test("one key under a thousand headers holds one place", () => {
  const cache = new KeyCache(8);
  for (let index = 0; index < 1000; index++) cache.remember(keyOf("a", `header-${index}`));
  expect(cache.size).toBe(1);
  expect(cache.get("header-999")).toBeDefined();
});

test("a stuffed header is not kept", () => {
  const cache = new KeyCache(8);
  cache.remember(keyOf("a", "x".repeat(1025)));
  expect(cache.size).toBe(0);
});
