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

/** What the other decoder reads, or that it refuses. */
function decodeBytes(source: Buffer, start: number, end: number): unknown {
  const target = new Uint8Array(source.length);
  return (
    errorOf(() => decodeBase64urlBytes(source, start, end, target)) ?? target.slice(0, lengthOf(end - start))
  );
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
      const bytes = Buffer.from(written);
      const expected = errorOf(() => decodeBase64url(written)) ?? new Uint8Array(decodeBase64url(written));
      expect(
        decodeBytes(Buffer.concat([Buffer.from("A."), bytes, Buffer.from(".A")]), 2, bytes.length + 2),
      ).toEqual(expected);
    }),
    { numRuns: 2000 },
  );
});

test.each([0, 2, 3, 4, 86, 87])("%d characters are as many bytes as they hold", (length) => {
  const target = new Uint8Array(99);
  expect(decodeBase64urlBytes(Buffer.alloc(length, "A"), 0, length, target)).toBe(lengthOf(length));
});

test.each([1, 5, 85])("%d characters are refused", (length) => {
  expect(decodeBytes(Buffer.alloc(length, "A"), 0, length)).toBeInstanceOf(JwsError);
});
