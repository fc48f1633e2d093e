import { describe, expect, test } from "vitest";
import { decide, type DecisionInput, grantedScopes } from "../../src/permissions/decide.js";
import { effectiveScopes, type Permissions } from "../../src/permissions/effective-scopes.js";

const resource = { key: "contracts", enabled: true, supportedScopes: ["contracts:read", "contracts:write"] };
const permissions: Permissions = {
  user: { id: "u1", email: "ada@acme.example", name: "Ada", enabled: true, pausedAt: null },
  assignments: [
    { id: "a1", email: "ada@acme.example", scope: "contracts:read" },
    { id: "a2", email: "ada@acme.example", scope: "invoices:read" },
  ],
  undecided: [],
};

describe("a wanted scope", () => {
  test("is granted with the assignment that grants it", () => {
    expect(decide({ permissions, resource, scopes: ["contracts:read"] })).toEqual({
      allowed: true,
      granted: [
        { scope: "contracts:read", by: [{ type: "email", assignmentId: "a1", email: "ada@acme.example" }] },
      ],
      missing: [],
    });
  });

  test("that is asked for twice is decided once", () => {
    const decision = decide({ permissions, resource, scopes: ["contracts:read", "contracts:read"] });
    expect(decision.granted).toHaveLength(1);
  });

  const { user } = permissions;
  test.each<[name: string, input: DecisionInput, missing: object]>([
    [
      "nobody assigned",
      { permissions, resource, scopes: ["contracts:write"] },
      {
        scope: "contracts:write",
        reason: "not_assigned",
        wouldBeGrantedBy: { type: "email", email: "ada@acme.example", scope: "contracts:write" },
      },
    ],
    [
      "the resource does not support",
      { permissions, resource, scopes: ["invoices:read"] },
      { scope: "invoices:read", reason: "not_supported" },
    ],
    [
      "of a disabled resource",
      { permissions, resource: { ...resource, enabled: false }, scopes: ["contracts:read"] },
      { scope: "contracts:read", reason: "resource_disabled" },
    ],
    [
      "of a disabled person",
      {
        permissions: { ...permissions, user: { ...user, enabled: false } },
        resource,
        scopes: ["contracts:read"],
      },
      { scope: "contracts:read", reason: "user_disabled" },
    ],
    [
      "of a person whose address went to somebody else",
      {
        permissions: { ...permissions, user: { ...user, email: null } },
        resource,
        scopes: ["contracts:read"],
      },
      { scope: "contracts:read", reason: "no_email" },
    ],
  ])("%s is missing, with the reason", (_name, input, missing) => {
    expect(decide(input)).toEqual({ allowed: false, granted: [], missing: [missing] });
  });

  test("is judged one by one: what is granted stays granted beside what is missing", () => {
    const decision = decide({ permissions, resource, scopes: ["contracts:read", "contracts:write"] });
    expect(decision.allowed).toBe(false);
    expect(decision.granted.map(({ scope }) => scope)).toEqual(["contracts:read"]);
    expect(decision.missing.map(({ scope }) => scope)).toEqual(["contracts:write"]);
  });
});

describe("effective scopes", () => {
  test("are the union of a person's assignments", () => {
    expect([...effectiveScopes(permissions)]).toEqual(["contracts:read", "invoices:read"]);
  });

  test("never come from another person's assignment", () => {
    const assignments = [{ id: "a3", email: "grace@acme.example", scope: "contracts:write" }];
    expect(effectiveScopes({ ...permissions, assignments }).size).toBe(0);
  });

  test("of one resource are those it supports", () => {
    expect(grantedScopes(permissions, resource)).toEqual(["contracts:read"]);
  });
});
