import { decodeBase64url, JwsError } from "@authz/dpop/jws";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeSignatureInto } from "../../src/jws/base64url.js";
import { errorOf } from "../error-of.js";

test("what Node encodes is decoded", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(decodeBase64url(Buffer.from(bytes).toString("base64url"))).toEqual(Buffer.from(bytes));
    }),
  );
});

test.each([
  ["padding", "YQ=="],
  ["the other alphabet", "_-+/"],
  ["a space", "YW Jj"],
  ["a line end at the end", "YWJj\n"],
  ["stray bits", "YR"],
  ["a single character", "Y"],
  ["a character beyond Latin-1", "YWJ\u0163"],
  ["a NUL", "YWJj\0"],
])("%s is refused", (_, text) => {
  expect(() => decodeBase64url(text)).toThrow(expect.objectContaining({ reason: "not_base64url" }));
});

test("two different strings never decode to the same bytes", () => {
  const unit = fc.constantFrom(...Array.from("AQgwYZ_-+/= \n"));
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      const error = errorOf(() => decodeBase64url(text));
      const isCanonical = Buffer.from(text, "base64url").toString("base64url") === text;
      expect(isCanonical ? error === undefined : error instanceof JwsError).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test("the signature at the end of a text is decoded as everything else is", () => {
  const target = new Uint8Array(64);
  const signature = fc.uint8Array({ minLength: 64, maxLength: 64 });
  const change = fc.tuple(fc.nat({ max: 85 }), fc.string({ unit: "binary", minLength: 1, maxLength: 1 }));
  fc.assert(
    fc.property(signature, fc.option(change), (bytes, changed) => {
      const right = Buffer.from(bytes).toString("base64url");
      const [at, character] = changed ?? [0, right.slice(0, 1)];
      const text = right.slice(0, at) + character + right.slice(at + 1);
      fc.pre(text.length === 86);
      const decoded = errorOf(() => decodeSignatureInto(target, `head.${text}`, 5)) ?? Buffer.from(target);
      expect(decoded).toEqual(errorOf(() => decodeBase64url(text)) ?? decodeBase64url(text));
    }),
    { numRuns: 1000 },
  );
});

test.each([0, 1, 85, 87])("a signature of %d characters is left to others", (length) => {
  expect(decodeSignatureInto(new Uint8Array(64), "A".repeat(length), 0)).toBe(false);
});
