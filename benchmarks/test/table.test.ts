import { expect, test } from "vitest";
import { insertTable } from "../src/table.js";

const conditions = { node: "v20.20.2", machine: "Linux, 2 cores", date: "2026-01-31", minutes: 9.4 };
const figure = { what: "A check", figure: "90 µs", beside: "one verification", ratio: "1.11" };
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

Linux, 2 cores. 2026-01-31, 9 minutes.

| | Authz | Beside | Ratio |
|---|---:|---|---:|
| A check | 90 µs | one verification | 1.11 |`;

test("the table stands in its place, and nothing else changes", () => {
  const page = insertTable(empty, [figure], conditions);
  expect(page).toBe(empty.replace("begin -->\n\n", `begin -->\n\n${tableOf20}\n\n`));
  expect(insertTable(page, [figure], conditions)).toBe(page);
});

test("another version of Node.js has a table of its own, a newer one of the same major version takes its place", () => {
  let page = insertTable(empty, [figure], { ...conditions, node: "v24.1.0" });
  page = insertTable(page, [figure], conditions);
  page = insertTable(page, [figure], { ...conditions, node: "v24.2.0" });
  expect(page.match(/^### .*$/gm)).toEqual(["### Node 20.20.2", "### Node 24.2.0"]);
  expect(page).toContain(`${tableOf20}\n\n### Node 24.2.0`);
});

test("a page without a place for it is refused", () => {
  expect(() => insertTable("# Page\n", [figure], conditions)).toThrow("has no lines");
});
