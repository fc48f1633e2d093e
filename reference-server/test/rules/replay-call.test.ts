import { describe, expect, test } from "vitest";
import type { CallRule } from "../../src/rules/call-rule.js";
import { matchTemplate } from "../../src/rules/match-path.js";
import { type KeptCall, replayCall } from "../../src/rules/replay-call.js";

const call: KeptCall = {
  method: "POST",
  host: "pay.example",
  pathTemplate: "/v1/payments/{payment}",
  person: { id: "a", email: "ada@example.com" },
  app: { id: "claude" },
  at: new Date("2026-11-24T10:00:00Z"),
};

describe("a template and the shape of a path", () => {
  test.each([
    ["/v1/payments/{id}", "/v1/payments/{payment}", "yes"],
    ["/v1/payments/{...}", "/v1/payments/{payment}", "yes"],
    ["/V1/payments/{id}", "/v1/payments/{payment}", "yes"],
    ["/v1/payments/7", "/v1/payments/{payment}", "unclear"],
    ["/v1/payments", "/v1/payments/{payment}", "no"],
    ["/v1/refunds/{id}", "/v1/payments/{payment}", "no"],
    ["/v1/{...}", "/v1/{…}", "yes"],
    ["/v1/payments", "/v1/{…}", "unclear"],
    ["/v2/payments", "/v1/{…}", "no"],
    ["/v1", "/v1/{…}", "unclear"],
    ["/", "/{…}", "unclear"],
    ["/{...}", "/", "yes"],
  ])("%s and %s: %s", (template, kept, expected) => {
    expect(matchTemplate(template, kept, false)).toBe(expected);
  });
});

describe("a call of the past", () => {
  const allow: CallRule = { default: "allow" };
  test.each<[string, readonly CallRule[], string]>([
    ["a method", [{ methods: ["POST"], ask: "self" }, allow], "ask #0"],
    ["another method", [{ methods: ["DELETE"], ask: "self" }, allow], "allow #1"],
    ["a person", [{ when: "person.email == 'ada@example.com'", refuse: "No." }, allow], "refuse #0"],
    ["a time", [{ when: "now.getHours() < 9", refuse: "No." }, allow], "allow #1"],
    ["a body", [{ when: "body.amount > 1", ask: "self" }, allow], "unclear #0"],
    ["a header", [{ when: "request.headers['a'] == 'b'", ask: "self" }, allow], "unclear #0"],
    ["a query", [{ when: "request.query.a == 'b'", ask: "self" }, allow], "unclear #0"],
    ["a whole path", [{ path: "/v1/payments/7", ask: "self" }, allow], "unclear #0"],
    [
      "a body that makes no difference",
      [{ when: "body.amount > 1", ask: "self" }, { default: "ask" }],
      "ask #0",
    ],
    [
      "a limit that a body decides about",
      [{ when: "body.a", limit: { calls: 1, per: "day" }, beyond: "ask" }, allow],
      "unclear #0",
    ],
  ])("by %s", (_name, rules, expected) => {
    const { outcome, rule } = replayCall(rules, call);
    expect(`${outcome.type} #${String(rule)}`).toBe(expected);
  });
});
