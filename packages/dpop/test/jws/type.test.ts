import { hasType, isNumericDate } from "@authz/dpop/jws";
import { expect, test } from "vitest";

test.each(["at+jwt", "AT+JWT", "application/at+jwt", "Application/AT+JWT"])(
  "%s is the type at+jwt",
  (typ) => {
    expect(hasType({ typ }, "at+jwt")).toBe(true);
  },
);

test.each([
  undefined,
  null,
  "",
  "jwt",
  "application/application/at+jwt",
  " at+jwt",
  "at+jwt;v=1",
  ["at+jwt"],
  1,
])("%j is not the type at+jwt", (typ) => {
  expect(hasType({ typ }, "at+jwt")).toBe(false);
});

test.each([0, 1, 1_800_000_000])("%d is a NumericDate", (value) => {
  expect(isNumericDate(value)).toBe(true);
});

test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "1", null, undefined, 1n, new Date(0)])(
  "%s is no NumericDate",
  (value) => {
    expect(isNumericDate(value)).toBe(false);
  },
);
