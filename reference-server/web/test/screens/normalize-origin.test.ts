import { expect, test } from "vitest";
import { normalizeOrigin } from "../../src/screens/resources/normalize-origin";

test.each([
  { typed: "https://a.example", origin: "https://a.example" },
  { typed: " https://a.example/api/contracts?x=1 ", origin: "https://a.example" },
  { typed: "a.example", origin: "https://a.example" },
  { typed: "http://127.0.0.1:3101/", origin: "http://127.0.0.1:3101" },
  { typed: "127.0.0.1:3104/api", origin: "http://127.0.0.1:3104" },
  { typed: "localhost:3104", origin: "http://localhost:3104" },
  { typed: "[::1]:3104", origin: "http://[::1]:3104" },
  { typed: "localhost.example", origin: "https://localhost.example" },
  { typed: "https://127.0.0.1:3104", origin: "https://127.0.0.1:3104" },
  { typed: "not an address", origin: "not an address" },
])("$typed is the origin $origin", ({ typed, origin }) => {
  expect(normalizeOrigin(typed)).toBe(origin);
});
