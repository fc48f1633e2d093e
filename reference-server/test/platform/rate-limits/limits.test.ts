import { expect, test } from "vitest";
import { defaultRateLimits, parseRateLimits } from "../../../src/platform/rate-limits/limits.js";

test("a list changes some limits and leaves the others", () => {
  expect(parseRateLimits("token.address=60000, sign-in.address=1")).toEqual({
    ...defaultRateLimits,
    "token.address": 60_000,
    "sign-in.address": 1,
  });
});

test("off switches all of them off", () => {
  expect(parseRateLimits("off")).toBeUndefined();
});

test.each([
  "",
  "on",
  "token.address",
  "token.address=",
  "token.address=0",
  "token.address=-1",
  "other=1",
  "off,off",
])("%j is refused", (text) => {
  expect(() => parseRateLimits(text)).toThrow("is not a limit");
});
