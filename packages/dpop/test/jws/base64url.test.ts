import { decodeBase64url, JwsError } from "@authz/dpop/jws";
import * as fc from "fast-check";
import { expect, test } from "vitest";
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
