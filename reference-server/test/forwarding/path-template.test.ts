import { expect, test } from "vitest";
import { pathTemplateOf } from "../../src/forwarding/path-template.js";

const templates = [
  "/repos/{owner}/{repo}",
  "/repos/{owner}/{repo}/issues",
  "/repos/{owner}/settings",
  "/repos/{owner}/{repo}/{part}",
  "/user",
  "/v1.0/me/messages/{id}",
  "/v1.0/users/{id}",
];

test.each([
  ["", "/repos/acme/site", "/repos/{owner}/{repo}"],
  ["", "/repos/acme/settings", "/repos/{owner}/settings"],
  ["", "/repos/acme/site/issues", "/repos/{owner}/{repo}/issues"],
  ["", "/repos/acme/site/issues/", "/repos/{owner}/{repo}/issues"],
  ["", "/repos/acme/site/secrets", "/repos/{owner}/{repo}/{part}"],
  ["", "/user", "/user"],
  ["", "/User", "/{…}"],
  ["", "/", "/"],
  ["", "/gists/123", "/{…}"],
  ["/v1.0", "/v1.0/me/messages/AAMk", "/v1.0/me/messages/{id}"],
  ["/v1.0", "/v1.0/users/ada", "/v1.0/users/{id}"],
  ["/v1.0", "/v1.0", "/v1.0"],
  ["/v1.0", "/v1.0/", "/v1.0"],
  ["/v1.0", "/v1.0/drive/root:/plan.txt", "/v1.0/{…}"],
])("under %j, %s is written down as %s", (prefixPath, path, expected) => {
  const url = new URL(`https://api.example${path}?q=secret`);
  expect(pathTemplateOf({ url, prefixPath }, templates)).toBe(expected);
});

test("without templates only the prefix is written down", () => {
  const url = new URL("https://api.example/v1/people/ada");
  expect(pathTemplateOf({ url, prefixPath: "/v1" }, [])).toBe("/v1/{…}");
});
