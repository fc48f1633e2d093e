import { expect, test } from "vitest";
import type { Assignment } from "../../../src/admin/assignments/schemas.js";
import { toCreateAgain } from "../../src/screens/assignments/create-again.js";

const now = Date.parse("2026-11-22T12:00:00.000Z");
const later = "2026-11-23T12:00:00.000Z";
const assignment: Assignment = {
  id: "1",
  email: "ada@acme.example",
  person: null,
  group: null,
  scope: "contracts:read",
  createdAt: "2026-11-01T12:00:00.000Z",
  expiresAt: null,
  decidable: true,
  version: 1,
};
const group = { provider: "acme", providerName: "Acme", key: "sales" };

test("gives removed assignments again, for the remaining time", () => {
  const known = [
    assignment,
    { ...assignment, id: "2", email: null, group, expiresAt: later },
    { ...assignment, id: "3", expiresAt: "2026-11-22T11:59:59.000Z" },
    { ...assignment, id: "4", scope: "contracts:write" },
  ];
  expect(toCreateAgain(known, ["1", "2", "3"], now)).toEqual([
    { email: "ada@acme.example", scope: "contracts:read" },
    { group: { provider: "acme", key: "sales" }, scope: "contracts:read", expiresAt: later },
  ]);
});

test.each([
  { name: "an assignment known by its id only", removed: ["1", "unseen"] },
  { name: "an expired assignment", removed: ["over"] },
  { name: "nothing", removed: [] },
  { name: "more assignments than one request allows", removed: Array.from({ length: 1001 }, () => "1") },
])("gives nothing for $name", ({ removed }) => {
  const over = { ...assignment, id: "over", expiresAt: "2026-11-22T12:00:00.000Z" };
  expect(toCreateAgain([assignment, over], removed, now)).toBeUndefined();
});
