import { expect, test } from "vitest";
import { DigestSet } from "../../src/replay/digest-set.js";

/** Digests whose first words are equal all belong in the same place. */
function crowded(number: number): Uint32Array {
  return Uint32Array.of(7, 0, 0, 0, 0, 0, 0, number);
}

function scattered(number: number): Uint32Array {
  return Uint32Array.of(Math.imul(number + 1, 0x9e3779b1), number, 1, 1, 1, 1, 1, 1);
}

test.each([
  ["scattered", scattered],
  ["crowded", crowded],
])("it has what was added and nothing else, also after it has grown: %s", (_, digest) => {
  const set = new DigestSet();
  const count = 700;
  for (let number = 1; number <= count; number++) set.add(digest(number));
  expect(set.size).toBe(count);
  for (let number = 1; number <= count; number++) expect(set.has(digest(number))).toBe(true);
  for (let number = count + 1; number <= 2 * count; number++) expect(set.has(digest(number))).toBe(false);
});

test("what is added twice counts once", () => {
  const set = new DigestSet();
  set.add(scattered(1));
  set.add(scattered(1));
  expect(set.size).toBe(1);
});

test("a digest that begins with a zero is like any other", () => {
  const set = new DigestSet();
  set.add(Uint32Array.of(0, 0, 0, 0, 0, 0, 0, 1));
  expect(set.has(Uint32Array.of(0, 0, 0, 0, 0, 0, 0, 1))).toBe(true);
  expect(set.has(Uint32Array.of(0, 0, 0, 0, 0, 0, 0, 2))).toBe(false);
});
