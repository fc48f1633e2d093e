import { describe, expect, test } from "vitest";
import {
  type AssignmentValues,
  findMissing,
  placeProblem,
  toBulk,
} from "../../src/screens/assignments/assignment-values";

const people: AssignmentValues = {
  kind: "people",
  emails: ["ada@acme.example", "bob@acme.example"],
  provider: "",
  group: "",
  scopes: ["contracts:read", "contracts:write"],
  ending: { length: "good", date: "" },
};
const now = Date.UTC(2026, 10, 23, 12);
const group: AssignmentValues = { ...people, kind: "group", provider: "entra", group: "Sales" };

describe("giving permissions", () => {
  test("gives each person each scope", () => {
    const pairs = toBulk(people, now).create.map(({ email, scope }) => `${email} ${scope}`);
    expect(pairs).toEqual([
      "ada@acme.example contracts:read",
      "ada@acme.example contracts:write",
      "bob@acme.example contracts:read",
      "bob@acme.example contracts:write",
    ]);
    expect(toBulk({ ...group, scopes: ["a:b"] }, now).create).toEqual([
      { group: { provider: "entra", key: "Sales" }, scope: "a:b" },
    ]);
  });

  test.each([
    { ending: { length: "good", date: "" }, end: undefined },
    { ending: { length: "hour", date: "" }, end: "2026-11-23T13:00:00.000Z" },
    { ending: { length: "day", date: "" }, end: "2026-11-24T12:00:00.000Z" },
    { ending: { length: "date", date: "2026-12-24T18:00Z" }, end: "2026-12-24T18:00:00.000Z" },
  ] as const)("ends with $ending.length at $end", ({ ending, end }) => {
    expect(toBulk({ ...people, ending }, now).create[0]?.expiresAt).toBe(end);
  });

  test.each([
    { values: people, missing: [] },
    { values: { ...people, emails: [] }, missing: ["emails"] },
    { values: { ...group, group: "" }, missing: ["group"] },
    { values: { ...group, provider: "" }, missing: ["group"] },
    { values: { ...people, scopes: [] }, missing: ["scopes"] },
    { values: { ...people, ending: { length: "date" as const, date: "" } }, missing: ["expiresAt"] },
  ])("misses $missing", ({ values, missing }) => {
    expect(findMissing(values)).toEqual(missing);
  });

  test.each([
    { path: "create.2.email", field: "emails", message: "bob@acme.example: No." },
    { path: "create.1.scope", field: "scopes", message: "contracts:write: No." },
    { path: "scope", field: "scopes", message: "contracts:read: No." },
    { path: "create.0.group.provider", field: "provider", message: "no" },
    { path: "create.0.group.key", field: "group", message: "no" },
    { path: "create", field: "create", message: "no" },
  ])("shows the server's problem with $path at $field", ({ path, field, message }) => {
    expect(placeProblem({ path, message: "no" }, toBulk(people, now))).toEqual({
      path: field,
      message,
    });
  });
});
