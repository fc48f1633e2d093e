import { expect, test } from "vitest";
import { topOfScale } from "../../src/screens/overview/top-of-scale.js";

test.each([
  [0, 2],
  [1, 2],
  [3, 4],
  [7, 8],
  [9, 10],
  [10, 10],
  [11, 20],
  [55, 60],
  [99, 100],
  [1_234, 2_000],
])("a scale for %d ends with %d, whose half is a whole number", (most, top) => {
  expect(topOfScale(most)).toBe(top);
  expect(Number.isInteger(top / 2)).toBe(true);
});
