import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { insertTable } from "../src/table.js";

const conditions = {
  node: "v20.20.2",
  machine: "Linux, 2 cores",
  programs: ["PostgreSQL 16.9", "nginx 1.22.1"],
  date: "2026-01-31",
  minutes: 9.4,
};
const figure = { what: "A check", figure: "90 µs", beside: "one verification", ratio: "1.11" };
const measured = [
  { benchmark: "request", figures: [figure] },
  { benchmark: "proxy", figures: [] },
];
const empty = [
  "# Page",
  "",
  "<!-- Written by npm run bench -- --table: begin -->",
  "",
  "<!-- Written by npm run bench -- --table: end -->",
  "",
  "## Rest",
  "",
].join("\n");

const tableOf20 = `### Node 20.20.2

Linux, 2 cores, PostgreSQL 16.9, nginx 1.22.1. 2026-01-31, 9 minutes.

| | Authz | Alternative or goal | Ratio | In full |
|---|---:|---|---:|---|
| A check | 90 µs | one verification | 1.11 | \`npm run bench -- request\` |
| Not measured | | | | \`npm run bench -- proxy\` |`;

test("the table stands in its place, and nothing else changes", () => {
  const page = insertTable(empty, measured, conditions);
  expect(page).toBe(empty.replace("begin -->\n\n", `begin -->\n\n${tableOf20}\n\n`));
  expect(insertTable(page, measured, conditions)).toBe(page);
});

test("another version of Node.js has a table of its own, a newer one of the same major version takes its place", () => {
  let page = insertTable(empty, measured, { ...conditions, node: "v24.1.0" });
  page = insertTable(page, measured, conditions);
  page = insertTable(page, measured, { ...conditions, node: "v24.2.0" });
  expect(page.match(/^### .*$/gm)).toEqual(["### Node 20.20.2", "### Node 24.2.0"]);
  expect(page).toContain(`${tableOf20}\n\n### Node 24.2.0`);
});

test("a page without a place for it is refused", () => {
  expect(() => insertTable("# Page\n", measured, conditions)).toThrow("has no lines");
});

describe("the page", () => {
  const page = readFileSync(new URL("../../docs/reference/performance.md", import.meta.url), "utf8");

  test("has a place for the table", () => {
    expect(insertTable(page, measured, conditions)).toContain(tableOf20);
  });

  test("has all benchmarks in each table", () => {
    const sources = new URL("../src/", import.meta.url);
    const benchmarks = readdirSync(sources).filter((name) => existsSync(new URL(`${name}/main.ts`, sources)));
    const [, written = ""] = page.split("<!-- Written by npm run bench -- --table: begin -->");
    const [tables = ""] = written.split("<!-- Written by npm run bench -- --table: end -->");
    for (const table of tables.split(/^(?=### Node )/m).filter((text) => text.startsWith("### Node ")))
      for (const name of benchmarks) expect(table).toContain(`\`npm run bench -- ${name}\``);
  });
});
