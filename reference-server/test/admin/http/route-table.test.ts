import { expect, test } from "vitest";
import type { AdminRoute } from "../../../src/admin/http/route.js";
import { createRouteTable } from "../../../src/admin/http/route-table.js";

const paths: readonly [AdminRoute["method"], AdminRoute["path"]][] = [
  ["GET", "/things/{key}"],
  ["GET", "/things/export"],
  ["GET", "/things"],
  ["POST", "/things"],
  ["POST", "/things/{key}/checks"],
];
const routes = paths.map(
  ([method, path]): AdminRoute => ({
    method,
    path,
    summary: "A route",
    ifMatch: false,
    schemas: { params: undefined, query: undefined, body: undefined, answer: undefined },
    run: () => Promise.resolve(undefined),
  }),
);
const find = createRouteTable([{ tag: "Things", description: "", routes }]);

test.each([
  { method: "GET", path: "/things", found: "/things", params: {} },
  { method: "POST", path: "/things", found: "/things", params: {} },
  { method: "GET", path: "/things/one", found: "/things/{key}", params: { key: "one" } },
  { method: "GET", path: "/things/export", found: "/things/export", params: {} },
  {
    method: "GET",
    path: "/things/contracts%3Aread",
    found: "/things/{key}",
    params: { key: "contracts:read" },
  },
  { method: "GET", path: "/things/a%2Fb", found: "/things/{key}", params: { key: "a/b" } },
  { method: "POST", path: "/things/one/checks", found: "/things/{key}/checks", params: { key: "one" } },
])("$method $path is $found", ({ method, path, found, params }) => {
  expect(find(method, path)).toMatchObject({ route: { method, path: found }, params });
});

test.each([
  { name: "another method", method: "DELETE", path: "/things" },
  { name: "another place", method: "GET", path: "/thing" },
  { name: "a slash at the end", method: "GET", path: "/things/" },
  { name: "two slashes", method: "GET", path: "//things" },
  { name: "an empty parameter", method: "POST", path: "/things//checks" },
  { name: "one segment more", method: "GET", path: "/things/one/two" },
  { name: "a broken escape", method: "GET", path: "/things/%zz" },
  { name: "nothing", method: "GET", path: "" },
])("$name is no route", ({ method, path }) => {
  expect(find(method, path)).toBeUndefined();
});
