import { expect, test } from "vitest";
import { explainRules } from "../../src/person/explain-rules.js";
import type { CallRule } from "../../src/rules/call-rule.js";

const rules: readonly CallRule[] = [
  { path: "/public", allow: true },
  { methods: ["DELETE"], path: "/contracts/{id}", scopes: ["contracts:write"], ask: "self", say: "Final." },
  { methods: ["POST", "PUT"], when: "body.amount > 1000", refuse: "Ask finance." },
  { limit: { calls: 5, per: "day" }, beyond: "ask" },
  { default: "ask" },
];
const supportedScopes = ["contracts:read", "contracts:write"];

test("the rules that hold calls back are told, with their numbers", () => {
  expect(explainRules({ rules, supportedScopes }, { scopes: supportedScopes })).toEqual([
    { rule: 2, outcome: "ask", calls: "DELETE /contracts/{id}", sentence: "Final." },
    {
      rule: 3,
      outcome: "refuse",
      calls: "POST, PUT",
      condition: "body.amount > 1000",
      sentence: "Ask finance.",
    },
    { rule: 4, outcome: "limit" },
    { rule: 5, outcome: "ask" },
  ]);
});

test("those about other scopes or another path are left out", () => {
  const told = (scopes: readonly string[], path: string) =>
    explainRules({ rules, supportedScopes }, { scopes, path }).map(({ rule }) => rule);
  expect(told(["contracts:read"], "/contracts/7")).toEqual([3, 4, 5]);
  expect(told(["contracts:write"], "/contracts/7")).toEqual([2, 3, 4, 5]);
  expect(told(["contracts:write"], "/archive")).toEqual([3, 4, 5]);
});
