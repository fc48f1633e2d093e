import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { createUserCode, hashUserCode, readUserCode } from "../../src/oauth/endpoints/authorize-device.js";

test("a new code has eight letters without vowels, in two groups", () => {
  const codes = Array.from({ length: 500 }, createUserCode);
  expect(codes.every((code) => /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/.test(code))).toBe(
    true,
  );
  expect(new Set(codes).size).toBe(500);
});

test.each(["WDJB-MJHT", "wdjb-mjht", "WDJBMJHT", " wdjb mjht ", "W D J B M J H T", "WDJB–MJHT", "wdjb.mjht"])(
  "%j is read as a person means it",
  (text) => {
    expect(readUserCode(text)).toBe("WDJB-MJHT");
  },
);

test.each([undefined, "", "WDJB-MJH", "WDJB-MJHTT", "AEIO-UYAE", "1234-5678", "WDJB-MJHÏ", "W".repeat(65)])(
  "%j is no code",
  (text) => {
    expect(readUserCode(text)).toBeUndefined();
  },
);

test("any typed text is read without an error", () => {
  assert(
    property(string(), (text) => {
      const code = readUserCode(text);
      expect(code === undefined || readUserCode(code) === code).toBe(true);
    }),
  );
});

test("the database knows a code only under the session secret", () => {
  const one = hashUserCode("WDJB-MJHT", Buffer.alloc(32, 1));
  expect(one).toHaveLength(32);
  expect(one).not.toEqual(hashUserCode("WDJB-MJHT", Buffer.alloc(32, 2)));
  expect(one).not.toEqual(hashUserCode("WDJB-MJHC", Buffer.alloc(32, 1)));
});
