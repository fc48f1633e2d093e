import { describe, expect, test } from "vitest";
import type { Explanation } from "../../../src/admin/explain/schemas.js";
import { findGivable } from "../../src/screens/explain/givable";

type Missing = Explanation["missing"][number];

const assignable = (scope: string): Missing => ({
  scope,
  reason: "not_assigned",
  undecided: [],
  remedies: [{ type: "assign", email: "ada@acme.example", scope }],
});
const unsupported: Missing = {
  scope: "contracts:delete",
  reason: "not_supported",
  undecided: [],
  remedies: [{ type: "support_scope", resource: "contracts", scope: "contracts:delete" }],
};

function explain(missing: readonly Missing[], login: readonly Missing[] = []) {
  const answer = { allowed: login.length === 0, granted: [], missing: [...login] };
  return { missing: [...missing], login: answer };
}

describe("the scopes given by one click", () => {
  test.each([
    ["all missing scopes", explain([assignable("a:read"), assignable("a:write")]), ["a:read", "a:write"]],
    [
      "the scopes of the command line",
      explain([assignable("a:read")], [assignable("authz:login")]),
      ["a:read", "authz:login"],
    ],
    ["each scope once", explain([assignable("authz:login")], [assignable("authz:login")]), ["authz:login"]],
    ["no scope with another remedy", explain([unsupported]), []],
    [
      "not the scope for administration",
      explain([assignable("authz:administer"), assignable("authz:login")]),
      ["authz:login"],
    ],
  ])("is %s", (_what, explanation, scopes) => {
    expect(findGivable(explanation)).toEqual(scopes);
  });
});
