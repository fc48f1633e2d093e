import { expect, test } from "vitest";
import { normalizeOrigin } from "../../src/screens/resources/normalize-origin";

test.each([
  { typed: "https://a.example", origin: "https://a.example" },
  { typed: " https://a.example/api/contracts?x=1 ", origin: "https://a.example" },
  { typed: "a.example", origin: "https://a.example" },
  { typed: "http://127.0.0.1:3101/", origin: "http://127.0.0.1:3101" },
  { typed: "not an address", origin: "not an address" },
])("$typed is the origin $origin", ({ typed, origin }) => {
  expect(normalizeOrigin(typed)).toBe(origin);
});
