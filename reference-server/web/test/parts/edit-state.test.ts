import { describe, expect, test } from "vitest";
import { type EditState, followReading, isDirty, settle } from "../../src/parts/edit-state";

interface Values {
  readonly name: string;
  readonly scopes: readonly string[];
}

const stored: Values = { name: "Contracts", scopes: ["contracts:read"] };
const untouched: EditState<Values> = { stored, version: 3, values: stored };
const typed: EditState<Values> = { ...untouched, values: { ...stored, name: "All contracts" } };
const theirs = { values: { ...stored, name: "Agreements" }, version: 4 };

describe("a newer version that is read again", () => {
  test("is shown by a form without changes", () => {
    expect(followReading(untouched, theirs)).toEqual({
      stored: theirs.values,
      version: 4,
      values: theirs.values,
    });
  });

  test("keeps unsaved changes with their version, so that saving reveals the conflict", () => {
    expect(followReading(typed, theirs)).toBe(typed);
  });

  test("is shown once unsaved changes are reverted", () => {
    const takenBack = { ...typed, values: { ...stored } };
    expect(isDirty(takenBack)).toBe(false);
    expect(followReading(takenBack, theirs).values).toEqual(theirs.values);
  });

  test.each([
    { name: "the same version", reading: { values: stored, version: 3 } },
    { name: "an older version, requested before saving", reading: { ...theirs, version: 2 } },
  ])("is not $name", ({ reading }) => {
    expect(followReading(untouched, reading)).toBe(untouched);
  });

  test("does not affect a new object", () => {
    const created: EditState<Values> = { ...typed, version: undefined };
    expect(followReading(created, theirs)).toBe(created);
  });
});

describe("after the form's own change", () => {
  const sent = { ...stored, name: " All contracts " };
  const saved = { values: { ...stored, name: "All contracts" }, version: 4 };

  test("the form shows the stored values", () => {
    const state = settle({ ...typed, values: sent }, sent, saved);
    expect(state).toEqual({ stored: saved.values, version: 4, values: saved.values });
    expect(isDirty(state)).toBe(false);
  });

  test("later changes stay, based on the new version", () => {
    const scopes = ["contracts:read", "contracts:write"];
    const state = settle({ ...typed, values: { ...sent, scopes } }, sent, saved);
    expect(state).toEqual({ stored: saved.values, version: 4, values: { name: "All contracts", scopes } });
    expect(isDirty(state)).toBe(true);
    expect(followReading(state, { ...theirs, version: 5 })).toBe(state);
  });

  test("a sent secret is emptied, and one typed since then stays", () => {
    const empty = { secret: "" };
    const reading = { values: empty, version: 2 };
    const state = { stored: empty, version: 1, values: { secret: "first" } };
    expect(settle(state, { secret: "first" }, reading).values).toEqual(empty);
    expect(settle({ ...state, values: { secret: "second" } }, { secret: "first" }, reading).values).toEqual({
      secret: "second",
    });
  });

  test("a change beside the form updates only the version", () => {
    expect(settle(typed, typed.stored, { values: stored, version: 4 })).toEqual({ ...typed, version: 4 });
  });
});
