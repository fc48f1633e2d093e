import { isScope, isScopeToken, parseScope } from "@authz/dpop/jwt";
import * as fc from "fast-check";
import { expect, test } from "vitest";

test.each(["contracts:read", "a:b", "0-1:-", `${"a".repeat(99)}:${"b".repeat(100)}`])(
  "%s is a scope of a service",
  (scope) => {
    expect([isScope(scope), isScopeToken(scope)]).toEqual([true, true]);
  },
);

test.each([
  "repo",
  "a:b:c",
  "A:b",
  "a_b:c",
  "https://example.com/scope",
  `${"a".repeat(100)}:${"b".repeat(100)}`,
])("%s is a scope of OAuth, and none of a service", (scope) => {
  expect([isScope(scope), isScopeToken(scope)]).toEqual([false, true]);
});

test.each(["", "a b", 'a"b', "a\\b", "é", "a\n", 1, undefined])("%j is no scope", (scope) => {
  expect([isScope(scope), isScopeToken(scope)]).toEqual([false, false]);
});

test.each<[unknown, readonly string[] | undefined]>([
  ["", []],
  ["a", ["a"]],
  ["b a b", ["b", "a"]],
  [" a", undefined],
  ["a ", undefined],
  ["a  b", undefined],
  ["a\tb", undefined],
  ["a".repeat(257), undefined],
  ["aaa ".repeat(1024).trimEnd(), ["aaa"]],
  ["a".repeat(4097), undefined],
  [["a"], undefined],
  [undefined, undefined],
])("the scopes of %j are %j", (value, scopes) => {
  expect(parseScope(value)).toEqual(scopes);
});

test("distinct scopes joined by spaces are given back", () => {
  const scopes = fc.uniqueArray(fc.stringMatching(/^[!#-[\]-~]{1,20}$/), { maxLength: 20 });
  fc.assert(
    fc.property(scopes, (list) => {
      expect(parseScope(list.join(" "))).toEqual(list);
    }),
  );
});
