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
};
const group: AssignmentValues = { ...people, kind: "group", provider: "entra", group: "Sales" };

describe("giving permissions", () => {
  test("gives everybody every scope", () => {
    const pairs = toBulk(people).create.map(({ email, scope }) => `${email} ${scope}`);
    expect(pairs).toEqual([
      "ada@acme.example contracts:read",
      "ada@acme.example contracts:write",
      "bob@acme.example contracts:read",
      "bob@acme.example contracts:write",
    ]);
    expect(toBulk({ ...group, scopes: ["a:b"] }).create).toEqual([
      { group: { provider: "entra", key: "Sales" }, scope: "a:b" },
    ]);
  });

  test.each([
    { values: people, missing: [] },
    { values: { ...people, emails: [] }, missing: ["emails"] },
    { values: { ...group, group: "" }, missing: ["group"] },
    { values: { ...group, provider: "" }, missing: ["group"] },
    { values: { ...people, scopes: [] }, missing: ["scopes"] },
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
  ])("shows what the server says about $path beside $field", ({ path, field, message }) => {
    expect(placeProblem({ path, message: "no" }, toBulk(people))).toEqual({
      path: field,
      message,
    });
  });
});
