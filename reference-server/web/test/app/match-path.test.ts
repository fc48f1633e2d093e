import { expect, test } from "vitest";
import { matchPath } from "../../src/app/match-path.js";

const patterns = [{ path: "/" }, { path: "/scopes/$key" }, { path: "/scopes" }, { path: "/scopes/new" }];

test.each([
  { path: "/", pattern: "/", parameters: {} },
  { path: "/scopes", pattern: "/scopes", parameters: {} },
  { path: "/scopes/new", pattern: "/scopes/new", parameters: {} },
  { path: "/scopes/newest", pattern: "/scopes/$key", parameters: { key: "newest" } },
  { path: "/scopes/contracts%3Aread", pattern: "/scopes/$key", parameters: { key: "contracts:read" } },
  { path: "/scopes/a%2Fb", pattern: "/scopes/$key", parameters: { key: "a/b" } },
])("$path matches the screen $pattern", ({ path, pattern, parameters }) => {
  expect(matchPath(patterns, path)).toEqual({ pattern: { path: pattern }, parameters });
});

test.each(["/elsewhere", "/scopes/a/b", "/scopes/", "/scopes/%", "/scopes/%ff", "//"])(
  "%s matches no screen",
  (path) => {
    expect(matchPath(patterns, path)).toBeUndefined();
  },
);
