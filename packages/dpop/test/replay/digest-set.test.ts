import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DigestSet, KeyDigest } from "../../src/replay/digest-set.js";

function createKeys() {
  const digest = new KeyDigest();
  const set = new DigestSet();
  const sums = (key: string): Float64Array => {
    digest.compute(key);
    return digest.sums;
  };
  return {
    set,
    has: (key: string) => set.has(sums(key)),
    add: (key: string) => set.add(sums(key)),
  };
}

describe("a set of digests", () => {
  test("answers like a set of the keys themselves", () => {
    const key = fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.string({ minLength: 250, maxLength: 260 }),
      fc.string({ unit: "binary" }),
    );
    fc.assert(
      fc.property(fc.array(key, { maxLength: 200 }), (keys) => {
        const model = new Set<string>();
        const { set, has, add } = createKeys();
        for (const one of keys) {
          expect(has(one)).toBe(model.has(one));
          if (!model.has(one)) add(one);
          model.add(one);
        }
        expect(set.size).toBe(model.size);
      }),
    );
  });

  test("finds every one of many keys, while it grows and afterwards", () => {
    const { set, has, add } = createKeys();
    for (let index = 0; index < 20_000; index++) {
      expect(has(`key-${index}`)).toBe(false);
      add(`key-${index}`);
    }
    for (let index = 0; index < 20_000; index++) expect(has(`key-${index}`)).toBe(true);
    expect(set.size).toBe(20_000);
  });

  test.each([
    ["the order of characters", "ab", "ba"],
    ["a character more", "a", "aa"],
    ["a zero character more", "a", "a\0"],
    ["what is beyond ASCII", "\u0141", "A"],
    ["what is beyond 255 characters", "x".repeat(256), "x".repeat(257)],
    ["nothing and something", "", "\0"],
  ])("tells apart %s", (_, one, other) => {
    const { has, add } = createKeys();
    add(one);
    expect(has(one)).toBe(true);
    expect(has(other)).toBe(false);
  });

  test("is empty after it was cleared, whether it was full or nearly empty", () => {
    for (const count of [10, 5000, 3]) {
      const { set, has, add } = createKeys();
      for (let index = 0; index < count; index++) add(`key-${index}`);
      set.clear();
      expect(set.size).toBe(0);
      expect(has("key-0")).toBe(false);
      add("key-0");
      expect(has("key-0")).toBe(true);
    }
  });
});
