import { decodeBase64url, JwsError } from "@authz/dpop/jws";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeBase64urlBytes } from "../../src/jws/base64url.js";
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

/** What is decoded, in hexadecimal, or that it is refused. */
function outcomeOf(decode: () => Uint8Array): unknown {
  try {
    return Buffer.from(decode()).toString("hex");
  } catch (error) {
    return error instanceof JwsError ? error.reason : error;
  }
}

function decodeWithin(text: string): Uint8Array {
  const source = Buffer.from(`A.${text}.A`);
  const target = new Uint8Array(source.length);
  return target.subarray(0, decodeBase64urlBytes(source, 2, source.length - 2, target));
}

function lengthOf(characters: number): number {
  return Math.floor((characters * 3) / 4);
}

test("bytes within a text are decoded as everything else is", () => {
  const right = fc.uint8Array({ maxLength: 70 }).map((bytes) => Buffer.from(bytes).toString("base64url"));
  const change = fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.string({ unit: "binary", maxLength: 2 }));
  fc.assert(
    fc.property(right, fc.option(change), (encoded, changed) => {
      const [at, length, text] = changed ?? [0, 0, ""];
      const position = at % (encoded.length + 1);
      const written = encoded.slice(0, position) + text + encoded.slice(position + length);
      expect(outcomeOf(() => decodeWithin(written))).toBe(outcomeOf(() => decodeBase64url(written)));
    }),
    { numRuns: 500 },
  );
});

test.each([0, 2, 3, 4, 86, 87])("%d characters are as many bytes as they hold", (length) => {
  const target = new Uint8Array(99);
  expect(decodeBase64urlBytes(Buffer.alloc(length, "A"), 0, length, target)).toBe(lengthOf(length));
});

test.each([1, 5, 85])("%d characters are refused", (length) => {
  expect(outcomeOf(() => decodeWithin("A".repeat(length)))).toBe("not_base64url");
});
