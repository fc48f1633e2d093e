import { expect, test } from "vitest";
import { briefFor, describeCallRule, type PermissionAnswer } from "../src/index.js";

const rules = [
  { rule: 1, outcome: "ask", calls: "DELETE", sentence: "Contracts cannot be restored." },
  { rule: 2, outcome: "refuse", calls: "POST /payments", condition: "body.amount > 1000" },
  { rule: 3, outcome: "limit" },
] as const;

test("a rule for calls is a sentence, in which the administrator's words are quoted", () => {
  expect(rules.map(describeCallRule)).toEqual([
    'Rule 1: "DELETE" needs a person\'s approval. The administrator says: "Contracts cannot be restored."',
    'Rule 2: "POST /payments" when "body.amount > 1000" is refused.',
    "Rule 3: any other call is allowed up to a number.",
  ]);
});

test("a model reads the rules beside the permissions", () => {
  const answer: PermissionAnswer = {
    plan: {
      resource: { name: "Contracts", supportedScopes: ["contracts:write"] },
      scopes: ["contracts:write"],
    },
    explanation: {
      allowed: true,
      granted: [],
      missing: [],
      administrators: { people: [], groups: [] },
      rules,
    },
    me: { subject: "1", email: "ada@acme.example", name: "Ada", installation: { name: "Acme" } },
    asked: true,
  };
  expect(briefFor(answer)).toMatchObject({ rules: rules.map(describeCallRule) });
  const without = { ...answer, explanation: { ...answer.explanation, rules: [] } };
  expect(JSON.parse(JSON.stringify(briefFor(without)))).not.toHaveProperty("rules");
});
