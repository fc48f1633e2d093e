import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanLine, cleanText, toSafeJson } from "../src/clean-text.js";

const unsafe: { name: string; text: string; clean: string }[] = [
  { name: "an escape sequence", text: "a\u001b[31mb", clean: "a\\u{1b}[31mb" },
  { name: "an 8-bit control", text: "\u009b31m", clean: "\\u{9b}31m" },
  { name: "a bell and a backspace", text: "\u0007\b", clean: "\\u{7}\\u{8}" },
  { name: "a right-to-left override", text: "\u202egpj.exe", clean: "\\u{202e}gpj.exe" },
  { name: "an isolate", text: "\u2066x\u2069", clean: "\\u{2066}x\\u{2069}" },
  {
    name: "zero-width characters",
    text: "a\u200b\u200d\u2060\ufeffb",
    clean: "a\\u{200b}\\u{200d}\\u{2060}\\u{feff}b",
  },
  { name: "a soft hyphen", text: "a\u00adb", clean: "a\\u{ad}b" },
  { name: "tag characters", text: "x\u{e0041}", clean: "x\\u{e0041}" },
  { name: "variation selectors", text: "x\ufe01\u{e0101}", clean: "x\\u{fe01}\\u{e0101}" },
  { name: "a blank letter", text: "\u3164", clean: "\\u{3164}" },
  { name: "a line separator", text: "a\u2028b", clean: "a\\u{2028}b" },
  { name: "a lone surrogate", text: "a\ud800b", clean: "a\\u{d800}b" },
  { name: "a carriage return", text: "safe\rbad", clean: "safe\\u{d}bad" },
];

describe("text from elsewhere", () => {
  for (const { name, text, clean } of unsafe) {
    it(`shows ${name} instead of obeying it`, () => {
      expect(cleanLine(text)).toBe(clean);
      expect(cleanText(text)).toBe(clean);
      expect(JSON.parse(toSafeJson({ text }))).toEqual({ text });
    });
  }

  it("stays as it is when it is ordinary, in any language", () => {
    for (const text of ["Grüße, 日本語, עברית, emoji 👍", "a\tb\nc"]) expect(cleanText(text)).toBe(text);
    expect(cleanLine("a\nb\tc")).toBe("a\\u{a}b\\u{9}c");
  });

  it("never contains a character that a terminal obeys or hides", () => {
    assert(
      property(string({ unit: "binary" }), (text) => {
        for (const clean of [cleanLine(text), toSafeJson(text)])
          expect(clean).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(JSON.parse(toSafeJson(text))).toBe(text);
      }),
    );
  });
});
