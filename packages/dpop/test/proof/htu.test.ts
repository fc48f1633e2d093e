import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSameTarget, normalizeTarget } from "../../src/proof/htu.js";

describe("two addresses are the same target when they differ only in", () => {
  test.each([
    ["nothing", "https://a.example/x", "https://a.example/x"],
    ["the case of scheme and host", "HTTPS://A.Example/x", "https://a.example/x"],
    ["the default port of https", "https://a.example:443/x", "https://a.example/x"],
    ["the default port of http", "http://a.example:80/x", "http://a.example/x"],
    ["an empty port", "https://a.example:/x", "https://a.example/x"],
    ["an empty path", "https://a.example", "https://a.example/"],
    ["dot segments", "https://a.example/a/./b/../c", "https://a.example/a/c"],
    ["dot segments at the end", "https://a.example/a/b/..", "https://a.example/a/"],
    ["dot segments above the root", "https://a.example/../../a", "https://a.example/a"],
    ["escaped dots of a dot segment", "https://a.example/a/%2e%2E/b", "https://a.example/b"],
    ["the escape of an unreserved character", "https://a.example/%7Euser/%41", "https://a.example/~user/A"],
    ["the case of an escape", "https://a.example/%c3%a9", "https://a.example/%C3%A9"],
    ["the case of an IPv6 address", "http://[::AB]:80/x", "http://[::ab]/x"],
    ["the query", "https://a.example/x?a=1", "https://a.example/x?b=2"],
    ["the query of the request", "https://a.example/x", "https://a.example/x?b=2"],
    ["the query, the path being empty", "https://a.example", "https://a.example?b=2"],
    ["the fragment", "https://a.example/x#a", "https://a.example/x"],
  ])("%s", (_, htu, requestUrl) => {
    expect(isSameTarget(htu, requestUrl)).toBe(true);
    expect(isSameTarget(requestUrl, htu)).toBe(true);
  });
});

describe("two addresses are different targets when they differ in", () => {
  test.each([
    ["scheme", "http://a.example/x", "https://a.example/x"],
    ["host", "https://b.example/x", "https://a.example/x"],
    ["a trailing dot of the host", "https://a.example./x", "https://a.example/x"],
    ["port", "https://a.example:8443/x", "https://a.example/x"],
    ["the default port of the other scheme", "https://a.example:80/x", "https://a.example/x"],
    ["a trailing slash", "https://a.example/x/", "https://a.example/x"],
    ["a doubled slash", "https://a.example//x", "https://a.example/x"],
    ["the case of the path", "https://a.example/X", "https://a.example/x"],
    ["the escape of a reserved character", "https://a.example/a%2Fb", "https://a.example/a/b"],
    ["a double escape", "https://a.example/%2541", "https://a.example/A"],
    ["user information", "https://user@a.example/x", "https://a.example/x"],
    ["a host hidden behind user information", "https://a.example@evil.example/x", "https://a.example/x"],
    ["path parameters", "https://a.example/x;v=1", "https://a.example/x"],
    ["the question mark being escaped", "https://a.example/x%3Fa", "https://a.example/x"],
  ])("%s", (_, htu, requestUrl) => {
    expect(isSameTarget(htu, requestUrl)).toBe(false);
    expect(isSameTarget(requestUrl, htu)).toBe(false);
  });
});

describe("an address that is no http(s) URI has no normal form:", () => {
  test.each([
    ["nothing", ""],
    ["a path", "/x"],
    ["a protocol-relative address", "//a.example/x"],
    ["another scheme", "ftp://a.example/x"],
    ["an address without a host", "https:///x"],
    ["one slash", "https:/a.example/x"],
    ["backslashes", "https:\\\\a.example\\x"],
    ["a backslash in the path", "https://a.example/a\\b"],
    ["a space in front", " https://a.example/x"],
    ["a line end", "https://a.example/x\n"],
    ["a tab inside", "https://a.ex\tample/x"],
    ["a NUL", "https://a.example/\0"],
    ["a letter beyond ASCII", "https://a.example/é"],
    ["a host beyond ASCII", "https://exämple/x"],
    ["two colons behind the host", "https://a.example::/x"],
    ["a port that is no number", "https://a.example:x/"],
    ["an open bracket", "https://[::1/x"],
    ["half an escape", "https://a.example/%4"],
    ["a broken escape", "https://a.example/%zz"],
  ])("%s", (_, uri) => {
    expect(normalizeTarget(uri)).toBeUndefined();
  });
});

test("a path that a URL parser leaves as it is matches itself although RFC 3986 would escape it", () => {
  const url = "https://a.example/a|b[]";
  expect(isSameTarget(url, `${url}?x`)).toBe(true);
  expect(isSameTarget(url, url.replace("https", "HTTPS"))).toBe(true);
});

test("the output of a URL parser is the same target as its input", () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
      const { origin, pathname } = new URL(url);
      expect(isSameTarget(origin + pathname, url)).toBe(true);
    }),
  );
});

test("normalizing twice changes nothing more", () => {
  const uri = fc
    .tuple(
      fc.constantFrom("http", "HTTPS"),
      fc.string({ unit: fc.constantFrom(...Array.from("aA./%2eE7~:@?#")) }),
    )
    .map(([scheme, rest]) => `${scheme}://h${rest}`);
  fc.assert(
    fc.property(uri, (text) => {
      const once = normalizeTarget(text);
      fc.pre(once !== undefined);
      expect(normalizeTarget(once)).toBe(once);
    }),
  );
});

test("no string makes the comparison throw or match a fixed address that it does not name", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.webUrl()), (text) => {
      const matches = isSameTarget(text, "https://a.example/x");
      expect(!matches || new URL(text).host === "a.example").toBe(true);
    }),
    { numRuns: 1000 },
  );
});
