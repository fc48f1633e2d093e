import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { AuthzClientError, type Resource } from "../../src/index.js";
import { findRegisteredResource } from "../../src/request/registered-resource.js";
import { parseRequestAddress } from "../../src/request/request-address.js";

const resource: Resource = {
  key: "contracts",
  name: "Contracts",
  resource: "https://c.example/api",
  authorizationServer: "https://c.example",
  clientId: "c",
  requestPrefixes: ["https://c.example/api"],
  supportedScopes: [],
  grantedScopes: [],
  undecidedScopes: [],
};

const refused: { name: string; address: string; reason: string }[] = [
  { name: "an encoded slash after dots", address: "https://c.example/api/..%2fadmin", reason: "climbs" },
  { name: "an encoded backslash after dots", address: "https://c.example/api/..%5Cadmin", reason: "climbs" },
  { name: "dots encoded twice", address: "https://c.example/api/%252e%252e/admin", reason: "climbs" },
  {
    name: "dots encoded three times",
    address: "https://c.example/api/%25252e%25252e%25252fadmin",
    reason: "climbs",
  },
  { name: "dots with a path parameter", address: "https://c.example/api/..;x/admin", reason: "climbs" },
  { name: "one dot with a path parameter", address: "https://c.example/api/.;/x", reason: "climbs" },
  {
    name: "dots encoded twice beside a stray percent sign",
    address: "https://c.example/api/.%252e%5c%25",
    reason: "climbs",
  },
  { name: "a slash that hides dots", address: "https://c.example/api/x%2f..%2f..%2fadmin", reason: "climbs" },
  {
    name: "encoding without end",
    address: `https://c.example/api/%${"25".repeat(12)}2e`,
    reason: "four times",
  },
  { name: "an encoded NUL", address: "https://c.example/api/a%00b", reason: "control character" },
  { name: "an encoded line end", address: "https://c.example/api/a%0d%0ab", reason: "control character" },
  { name: "a stray percent sign", address: "https://c.example/api/100%", reason: "percent-encoding" },
  { name: "overlong UTF-8", address: "https://c.example/api/%c0%ae%c0%ae/admin", reason: "percent-encoding" },
  { name: "a backslash", address: "https://c.example\\@evil.example/api", reason: "backslash" },
  { name: "a tab in the scheme", address: "ht\ttps://c.example/api", reason: "invisible" },
  { name: "a zero-width space", address: "https://c.example/api/\u200bx", reason: "invisible" },
  { name: "a space before it", address: " https://c.example/api", reason: "space" },
  { name: "a user name", address: "https://c.example@evil.example/api", reason: "user name" },
  { name: "a password", address: "https://:x@c.example/api", reason: "user name" },
  { name: "plain http", address: "http://c.example/api", reason: "https only" },
  { name: "another scheme", address: "file:///api", reason: "https only" },
  { name: "no scheme", address: "//c.example/api", reason: "absolute" },
  { name: "nothing", address: "", reason: "absolute" },
];

describe("an address is refused", () => {
  for (const { name, address, reason } of refused) {
    it(`for ${name}`, () => {
      expect(() => parseRequestAddress(address)).toThrow(AuthzClientError);
      expect(() => parseRequestAddress(address)).toThrow(reason);
    });
  }
});

const prefixes: { prefix: string; address: string; covered: boolean }[] = [
  { prefix: "https://c.example/api", address: "https://c.example/api", covered: true },
  { prefix: "https://c.example/api", address: "https://c.example/api/", covered: true },
  { prefix: "https://c.example/api", address: "https://c.example/api?x=1", covered: true },
  { prefix: "https://c.example/api", address: "https://c.example/api/a/../b", covered: true },
  { prefix: "https://c.example/api", address: "HTTPS://C.EXAMPLE:443/api/a", covered: true },
  { prefix: "https://c.example/api/", address: "https://c.example/api/a", covered: true },
  { prefix: "https://c.example", address: "https://c.example/anything", covered: true },
  { prefix: "https://c.example/api", address: "https://c.example/api/a%2Fb", covered: true },
  { prefix: "http://127.0.0.1:3101/api", address: "http://127.0.0.1:3101/api/x", covered: true },
  { prefix: "https://c.example/api", address: "https://c.example/apis", covered: false },
  { prefix: "https://c.example/api", address: "https://c.example/API/x", covered: false },
  { prefix: "https://c.example/api", address: "https://c.example//api/x", covered: false },
  { prefix: "https://c.example/api", address: "https://c.example/api/../admin", covered: false },
  { prefix: "https://c.example/api", address: "https://c.example:8443/api", covered: false },
  { prefix: "https://c.example/api", address: "https://c.example.evil.example/api", covered: false },
  { prefix: "https://c.example/api", address: "https://sub.c.example/api", covered: false },
  { prefix: "http://127.0.0.1:3101/api", address: "https://127.0.0.1:3101/api", covered: false },
  { prefix: "http://c.example/api", address: "https://c.example/api", covered: false },
  { prefix: "https://c.example/api?x", address: "https://c.example/api", covered: false },
  { prefix: "https://user@c.example/api", address: "https://c.example/api", covered: false },
  { prefix: "not an address", address: "https://c.example/api", covered: false },
];

describe("a registered prefix", () => {
  for (const { prefix, address, covered } of prefixes) {
    it(`${prefix} ${covered ? "covers" : "does not cover"} ${address}`, () => {
      const match = findRegisteredResource(parseRequestAddress(address), [
        { ...resource, requestPrefixes: [prefix] },
      ]);
      expect(match?.prefix).toBe(covered ? prefix : undefined);
    });
  }

  it("wins over a shorter one", () => {
    const inner = { ...resource, key: "inner", requestPrefixes: ["https://c.example/api/inner"] };
    const url = new URL("https://c.example/api/inner/x");
    expect(findRegisteredResource(url, [resource, inner])?.resource.key).toBe("inner");
    expect(findRegisteredResource(url, [inner, resource])?.resource.key).toBe("inner");
  });
});

describe("every accepted address", () => {
  it("stays below its prefix however often it is decoded", () => {
    const piece = constantFrom(
      "..",
      ".",
      "a",
      "%2e",
      "%2E%2e",
      "%2f",
      "%5c",
      "%25",
      "2e",
      "/",
      ";",
      "%252e",
      "%",
      "\\",
      "//",
    );
    assert(
      property(array(piece, { maxLength: 12 }), (pieces) => {
        const address = `https://c.example/api/${pieces.join("")}`;
        let url: URL;
        try {
          url = parseRequestAddress(address);
        } catch {
          return;
        }
        if (findRegisteredResource(url, [resource]) === undefined) return;
        let path = url.pathname;
        for (let round = 0; round < 6; round += 1) {
          const resolved = new URL(path.replaceAll("\\", "/").replaceAll(/\/{2,}/g, "/"), "https://c.example")
            .pathname;
          expect(resolved === "/api" || resolved.startsWith("/api/")).toBe(true);
          path = path.replace(/%([0-7][\da-f])/gi, (_, hex: string) =>
            String.fromCharCode(Number.parseInt(hex, 16)),
          );
        }
      }),
      { numRuns: 5000 },
    );
  });
});
