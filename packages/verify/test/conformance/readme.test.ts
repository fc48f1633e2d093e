import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const testFolder = new URL("../", import.meta.url);

async function testSources(): Promise<string> {
  const names = await readdir(testFolder, { recursive: true });
  const sources = names.filter((name) => name.endsWith(".ts") && !name.startsWith("conformance/readme"));
  return (await Promise.all(sources.map((name) => readFile(new URL(name, testFolder), "utf8")))).join("\n");
}

/** The last column of every row: the tests that prove a rule. */
async function provingCells(): Promise<readonly string[]> {
  const readme = await readFile(new URL("README.md", import.meta.url), "utf8");
  const rows = readme.split("\n").filter((line) => line.startsWith("| ") && !/^\| (?:#|Rule|---)/.test(line));
  return rows.map((row) => row.split("|").at(-2) ?? "");
}

test("every rule names at least one test, and every test it names exists", async () => {
  const sources = await testSources();
  const cells = await provingCells();
  expect(cells.length).toBeGreaterThan(50);
  const named = cells.map((cell) =>
    [...cell.matchAll(/"([^"]+)"|`([^`]+)`/g)].map(([, title, table]) => title ?? table ?? ""),
  );
  expect(named.filter((titles) => titles.length === 0)).toEqual([]);
  const stands = (title: string): boolean =>
    ['"', "'", "`"].some((quote) => sources.includes(`${quote}${title}${quote}`)) ||
    new RegExp(`\\b(?:const|function) ${title}\\b`).test(sources);
  expect(named.flat().filter((title) => !stands(title))).toEqual([]);
});
