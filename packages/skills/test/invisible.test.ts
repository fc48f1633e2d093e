import { escapeInvisible, invisibleCharacters } from "@authz/skills/invisible";
import { assert, jsonValue, property, string } from "fast-check";
import { describe, expect, it } from "vitest";

describe("JSON with invisible characters escaped", () => {
  it.each([
    { name: "an 8-bit control", text: "\u009b31m", escaped: '"\\u009b31m"' },
    { name: "a right-to-left override", text: "\u202egpj.exe", escaped: '"\\u202egpj.exe"' },
    { name: "a zero-width space", text: "a\u200bb", escaped: '"a\\u200bb"' },
    { name: "a tag character", text: "x\u{e0041}", escaped: '"x\\udb40\\udc41"' },
    { name: "a variation selector", text: "x\ufe01", escaped: '"x\\ufe01"' },
    { name: "a blank letter", text: "\u3164", escaped: '"\\u3164"' },
    { name: "a line separator", text: "a\u2028b", escaped: '"a\\u2028b"' },
  ])("shows $name", ({ text, escaped }) => {
    expect(escapeInvisible(JSON.stringify(text))).toBe(escaped);
  });

  it("says the same, and stays as it is when all of it can be seen", () => {
    assert(
      property(jsonValue(), (value) => {
        expect(JSON.parse(escapeInvisible(JSON.stringify(value)))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    const visible = JSON.stringify({ words: ["Grüße, 日本語, עברית, emoji 👍"] }, undefined, 2);
    expect(escapeInvisible(visible)).toBe(visible);
  });

  it("has none of them left", () => {
    assert(
      property(string({ unit: "binary" }), (text) => {
        expect(escapeInvisible(JSON.stringify(text))).not.toMatch(invisibleCharacters());
      }),
    );
  });
});
