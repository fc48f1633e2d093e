import { canonicalResource } from "@authz/dpop/jwt";
import { expect, test } from "vitest";

test.each([
  ["https://contracts.example/api", "https://contracts.example/api"],
  ["HTTPS://Contracts.EXAMPLE/api", "https://contracts.example/api"],
  ["https://contracts.example:443/api", "https://contracts.example/api"],
  ["https://contracts.example:8443/Api", "https://contracts.example:8443/Api"],
  ["https://contracts.example", "https://contracts.example"],
  ["https://contracts.example/", "https://contracts.example"],
  ["https://contracts.example/api/", "https://contracts.example/api/"],
  ["https://contracts.example/a/../api", "https://contracts.example/api"],
  ["http://127.0.0.1:3101/api", "http://127.0.0.1:3101/api"],
])("%s is compared as %s", (value, canonical) => {
  expect(canonicalResource(value)).toBe(canonical);
});

test.each([
  "",
  "contracts.example/api",
  "/api",
  "urn:example:contracts",
  "ftp://contracts.example/api",
  "https://contracts.example/api?",
  "https://contracts.example/api?x=1",
  "https://contracts.example/api#top",
  "https://contracts.example/a b",
  "https://contracts.example\\api",
  "https://ada@contracts.example/api",
  "https://ada:secret@contracts.example/api",
  "https://[::1",
])("%j is no resource identifier", (value) => {
  expect(canonicalResource(value)).toBeUndefined();
});
