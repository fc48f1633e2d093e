import { expect, test } from "vitest";
import { normalizeAddress } from "../../src/screens/resources/normalize-address";

test.each([
  { typed: "https://a.example", address: "https://a.example" },
  { typed: " https://a.example/api/contracts?x=1#top ", address: "https://a.example/api/contracts" },
  { typed: "a.example", address: "https://a.example" },
  { typed: "http://127.0.0.1:3101/", address: "http://127.0.0.1:3101" },
  { typed: "127.0.0.1:3104/api", address: "http://127.0.0.1:3104/api" },
  { typed: "localhost:3104", address: "http://localhost:3104" },
  { typed: "[::1]:3104", address: "http://[::1]:3104" },
  { typed: "localhost.example", address: "https://localhost.example" },
  { typed: "https://127.0.0.1:3104", address: "https://127.0.0.1:3104" },
  { typed: "not an address", address: "not an address" },
])("$typed becomes the address $address", ({ typed, address }) => {
  expect(normalizeAddress(typed)).toBe(address);
});
