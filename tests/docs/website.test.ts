/** The documentation site without a build: every page has a place and every link a target. `npm run docs` checks the rest. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { navigated, navigation } from "../../website/site/navigation.mjs";
import { resolveLink, sitePath, slugOf, summaryOf, titleOf } from "../../website/site/pages.mjs";
import { listDocuments, readDocument, root } from "./markdown.js";

const pages = listDocuments().filter((path) => sitePath(path)?.endsWith(".md") === true);

describe("the navigation", () => {
  test("has every page once", () => {
    const named = navigated();
    expect(named.filter((path, index) => named.indexOf(path) !== index)).toEqual([]);
    expect([...named].sort()).toEqual(
      pages.filter((path) => path !== "packages/contract-tests/README.md").sort(),
    );
  });

  test("has the four kinds, and help", () => {
    expect(navigation.map(({ text }) => text)).toEqual([
      "Tutorials",
      "How-to guides",
      "Reference",
      "Explanation",
      "Help",
    ]);
  });
});

describe.each(pages)("%s", (path) => {
  const text = readDocument(path);

  test("has a title and a summary", () => {
    expect(titleOf(text)).not.toBe("");
    expect(summaryOf(text)).not.toBe("");
  });

  test("has no text that Vue would interpret", () => {
    const outside = text.replaceAll(/^ *(`{3,}|~{3,})[^]*?^ *\1$/gm, "").replaceAll(/`+[^`]+`+/g, "");
    expect(outside).not.toMatch(
      /\{\{|<(?!\/?(?:picture|source|img|br|a|p|sub|sup|details|summary|https?:|!--))[a-z]/i,
    );
  });
});

test("no two documents are the same page", () => {
  const paths = pages.map((path) => sitePath(path));
  expect(new Set(paths).size).toBe(paths.length);
});

test.each([
  ["docs/operate/README.md", "compose.md#upgrade", "/operate/compose.md#upgrade"],
  ["docs/operate/README.md", "../hosts/README.md", "/hosts/index.md"],
  ["docs/adr/README.md", "../../packages/express/README.md#errors", "/packages/express.md#errors"],
  ["docs/adr/README.md", "../../packages/express", "/packages/express.md"],
  ["docs/adr/README.md", "../assets/flow.svg", "/assets/flow.svg"],
  [
    "SECURITY.md",
    "reference-server/test/audit",
    "https://github.com/authz/authz/tree/main/reference-server/test/audit",
  ],
  ["SECURITY.md", "README.md", "/index.md"],
  ["SECURITY.md", "https://example.com/", "https://example.com/"],
])("%s links to %s, on the site %s", (from, target, resolved) => {
  expect(resolveLink(from, target)).toBe(resolved);
});

test("a link to nothing is an error", () => {
  expect(() => resolveLink("SECURITY.md", "nowhere.md")).toThrow("SECURITY.md links to nowhere.md");
});

test("anchors match those of code hosts", () => {
  expect(slugOf("What `act` says — and *why*")).toBe("what-act-says--and-why");
});

test("the site's packages are locked and not part of `npm start`", () => {
  const read = (path: string) =>
    JSON.parse(readFileSync(join(root, path), "utf8")) as Record<string, unknown>;
  expect(read("website/package-lock.json")["lockfileVersion"]).toBe(3);
  const { workspaces } = read("package.json") as { workspaces: readonly string[] };
  expect(workspaces).not.toContain("website");
});
