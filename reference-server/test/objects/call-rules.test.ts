import { describe, expect, test } from "vitest";
import { callRules } from "../../src/objects/call-rules.js";
import { faultsOf } from "../support/faults.js";

const rule = {
  methods: ["DELETE"],
  path: "/payments/{id}",
  when: "body.amount > 1000",
  ask: "self",
  say: "Payments",
};
const last = { default: "allow" };

function faults(changes: object): readonly string[] {
  // As JSON, which has no members without a value.
  return faultsOf(callRules, JSON.parse(JSON.stringify([{ ...rule, ...changes }, last])));
}

test("a complete list is taken as it is", () => {
  const list = [
    rule,
    { path: "/a/{...}", scopes: ["payments:write"], ask: "group:okta:EU: Finance" },
    { limit: { calls: 5, per: "hour" }, beyond: "refuse", refuse: "Enough." },
    { path: "/b", allow: true },
    last,
  ];
  expect(callRules.parse(list)).toEqual(list);
  expect(callRules.parse([])).toEqual([]);
});

describe("one change, one fault", () => {
  test.each<[object, string]>([
    [{ methods: [] }, "0.methods: must have at least 1 item"],
    [{ methods: ["delete"] }, '0.methods.0: must be "GET", "HEAD", "POST", "PUT", "PATCH", or "DELETE"'],
    [{ path: "payments" }, "0.path: must be a path of whole segments"],
    [{ path: "/a/../b" }, "0.path: must be a path of whole segments"],
    [{ path: "/{...}/b" }, "0.path: must be a path of whole segments"],
    [{ path: "/%61" }, "0.path: must be a path of whole segments"],
    [{ ask: "group:finance" }, "0.ask: must be self, or a group"],
    [{ ask: "Bruno" }, "0.ask: must be self, or a group"],
    [{ allow: true }, "0: must have exactly one of allow, ask, refuse and limit"],
    [{ ask: undefined }, "0: must have exactly one of allow, ask, refuse and limit"],
    [{ beyond: "ask" }, "0.beyond: only goes with a limit"],
    [{ ask: undefined, limit: { calls: 1, per: "day" } }, "0.beyond: is missing"],
    [
      { limit: { calls: 1, per: "day" }, beyond: "refuse" },
      "0.ask: only goes with a limit whose beyond says the same",
    ],
    [{ ask: undefined, limit: { calls: 0, per: "day" }, beyond: "ask" }, "0.limit.calls: must be at least 1"],
    [
      { ask: undefined, limit: { calls: 1, per: "week" }, beyond: "ask" },
      '0.limit.per: must be "hour" or "day"',
    ],
    [{ say: "a\nb" }, "0.say: must not contain control characters"],
    [{ tool: "delete_*" }, "0.tool: is not known here"],
    [{ default: "ask" }, "0.methods: cannot stand beside default"],
    [{ when: "body.amount >" }, "0.when: is no condition in CEL: Unexpected token: EOF (character 14)"],
    [{ when: "amount > 1" }, "0.when: is no condition in CEL: Unknown variable: amount (character 1)"],
    [{ when: "size(body.list)" }, "0.when: must be true or false"],
    [{ when: "body.id.matches('^a')" }, "0.when: uses matches, which rules do not have"],
    [{ when: "cel.bind(a, body.a, a == 1)" }, "0.when: uses bind, which rules do not have"],
    [{ when: "body.a.map(x, x) == []" }, "0.when: uses map, which rules do not have"],
    [{ when: "body.a.contains(body.b)" }, "0.when: must call contains with a text in quotes"],
    [
      { when: "body.a.all(x, body.b.exists(y, x == y))" },
      "0.when: must not have all, exists or filter inside another one",
    ],
    [{ when: "true||".repeat(150) + "true" }, "0.when: is no condition in CEL: Exceeded maxAstNodes"],
    [{ when: "x".repeat(1001) }, "0.when: must have at most 1000 characters"],
  ])("%j: %s", (changes, expected) => {
    expect(faults(changes)[0]).toContain(expected);
  });

  test("a list ends with its default, and has no other one", () => {
    expect(faultsOf(callRules, [rule])[0]).toContain("0: must be the default");
    expect(faultsOf(callRules, [last, rule, last])[0]).toContain("0.default: must be in the last rule");
    expect(
      faultsOf(
        callRules,
        Array.from({ length: 51 }, () => rule),
      )[0],
    ).toContain("must have at most 50 items");
  });
});
