import { canonicalJson, parseStrictJson } from "@authz/dpop/jws";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

describe("the canonical form of", () => {
  test.each<[string, unknown, string]>([
    [
      "RFC 8785 §3.2.2, its example",
      {
        numbers: [JSON.parse("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
        string: "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"\u002f",
        literals: [null, true, false],
      },
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    ],
    [
      "RFC 8785 §3.2.3, its names",
      { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 },
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
    ],
    ["minus zero", -0, "0"],
    ["the largest and the smallest number", [Number.MAX_VALUE, 5e-324], "[1.7976931348623157e+308,5e-324]"],
    ["empty values", [{}, [], ""], '[{},[],""]'],
    ["a member called __proto__", JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
  ])("%s", (_, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });
});

describe("has no canonical form:", () => {
  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["an undefined member", { a: undefined }],
    ["NaN", [Number.NaN]],
    ["Infinity", { a: Infinity }],
    ["a bigint", 1n],
    ["a function", () => 1],
    ["a symbol", Symbol("a")],
    ["a lone surrogate", "\ud800"],
    ["a lone surrogate in a name", { "\udc00": 1 }],
  ])("%s", (_, value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });
});

const json = fc.jsonValue({ maxDepth: 5, stringUnit: "grapheme" });

test("the canonical form is the same value, and its own canonical form", () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = canonicalJson(value);
      expect(parseStrictJson(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(parseStrictJson(text))).toBe(text);
    }),
  );
});

test("the order of members does not matter", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), json), (value) => {
      expect(canonicalJson(Object.fromEntries(Object.entries(value).toReversed()))).toBe(
        canonicalJson(value),
      );
    }),
  );
});
