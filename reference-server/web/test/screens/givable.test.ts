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

describe("what one click gives", () => {
  test.each([
    [
      "everything that an assignment gives",
      explain([assignable("a:read"), assignable("a:write")]),
      ["a:read", "a:write"],
    ],
    [
      "the command line as well",
      explain([assignable("a:read")], [assignable("authz:login")]),
      ["a:read", "authz:login"],
    ],
    ["each of them once", explain([assignable("authz:login")], [assignable("authz:login")]), ["authz:login"]],
    ["nothing that an assignment would not mend", explain([unsupported]), []],
    [
      "never the right to administer",
      explain([assignable("authz:administer"), assignable("authz:login")]),
      ["authz:login"],
    ],
  ])("is %s", (_what, explanation, scopes) => {
    expect(findGivable(explanation)).toEqual(scopes);
  });
});
