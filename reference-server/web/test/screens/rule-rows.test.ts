import { expect, test } from "vitest";
import { type CallRule, emptyRule, fromRulesValues, toRulesValues } from "../../src/screens/rules/rule-rows";

const rules: readonly CallRule[] = [
  {
    methods: ["DELETE"],
    path: "/a/{id}",
    when: "body.a > 1",
    scopes: ["a:b", "c:d"],
    ask: "self",
    say: "Final.",
  },
  { path: "/archive/{...}", refuse: "Ask the records team." },
  { limit: { calls: 50, per: "hour" }, beyond: "ask", ask: "group:okta:finance" },
  { limit: { calls: 5, per: "day" }, beyond: "refuse", refuse: "Enough." },
  { limit: { calls: 5, per: "day" }, beyond: "refuse" },
  { path: "/public", allow: true },
  { default: "refuse", scopes: ["a:b"] },
];

test("rules come out of the form as they went in", () => {
  expect(fromRulesValues(toRulesValues({ rules }))).toEqual(rules);
  expect(fromRulesValues(toRulesValues({ rules: [] }))).toEqual([]);
  expect(fromRulesValues(toRulesValues({ rules: [{ default: "allow" }] }))).toEqual([{ default: "allow" }]);
});

test("a rule without a choice asks the person about every call", () => {
  const values = { rules: [emptyRule], otherwise: "allow", otherwiseScopes: "" } as const;
  expect(fromRulesValues(values)).toEqual([{ ask: "self" }, { default: "allow" }]);
});

test("a sentence that is left out is sent as missing, so that the server says so", () => {
  const values = {
    rules: [{ ...emptyRule, action: "refuse" }],
    otherwise: "allow",
    otherwiseScopes: "",
  } as const;
  expect(fromRulesValues(values)[0]).toEqual({ refuse: "" });
});
