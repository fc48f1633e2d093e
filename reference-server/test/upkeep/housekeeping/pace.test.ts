import { expect, test } from "vitest";
import { firstLimit, nextLimit, restAfter } from "../../../src/upkeep/housekeeping/pace.js";

test.each([
  { name: "grows where it is quick, but at most doubles", step: { limit: 200, milliseconds: 1 }, next: 400 },
  { name: "stays where it takes its time", step: { limit: 400, milliseconds: 40 }, next: 400 },
  { name: "shrinks where it takes longer", step: { limit: 800, milliseconds: 80 }, next: 400 },
  { name: "never ends", step: { limit: 400, milliseconds: 15_000 }, next: 200 },
  { name: "is bounded", step: { limit: 1_000, milliseconds: 0 }, next: 1_000 },
])("a step $name", ({ step, next }) => {
  expect(nextLimit(step)).toBe(next);
});

test.each([
  { milliseconds: 0, rest: 0 },
  { milliseconds: 20, rest: 60 },
  { milliseconds: 500, rest: 1_500 },
  { milliseconds: 15_000, rest: 2_000 },
])("after $milliseconds ms the others have $rest", ({ milliseconds, rest }) => {
  expect(restAfter({ limit: firstLimit, milliseconds })).toBe(rest);
});
