import { invisibleCharacters } from "@authz/skills/invisible";
import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanJson, toSafeJson } from "../src/clean-text.js";

describe("JSON for any reader", () => {
  it("is equal to the value, without a character that a terminal obeys or hides", () => {
    assert(
      property(string({ unit: "binary" }), (text) => {
        expect(toSafeJson(text)).not.toMatch(invisibleCharacters());
        expect(JSON.parse(toSafeJson(text))).toBe(text);
      }),
    );
  });

  it("has every text of the value spelled out where it stays a value, names included", () => {
    expect(cleanJson({ "a\u200b": ["b\u202e", { c: undefined, d: 1, e: null }] })).toEqual({
      "a\\u{200b}": ["b\\u{202e}", { d: 1, e: null }],
    });
  });
});
