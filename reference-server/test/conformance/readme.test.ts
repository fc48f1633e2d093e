import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";

/** Where the tests are that the table may name. */
const folders = [new URL("../", import.meta.url), new URL("../../../packages/dpop/test/", import.meta.url)];

async function sourcesBelow(folder: URL): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  const sources = names.filter((name) => name.endsWith(".ts") && !name.startsWith("conformance/"));
  return await Promise.all(sources.map((name) => readFile(new URL(name, folder), "utf8")));
}

/** The last column of every row: the tests that prove a rule. */
async function provingCells(): Promise<readonly string[]> {
  const readme = await readFile(new URL("README.md", import.meta.url), "utf8");
  const rows = readme.split("\n").filter((line) => /^\| (?!Section|Rule|---)/.test(line));
  return rows.map((row) => row.split("|").at(-2) ?? "");
}

test("every rule names at least one test, and every test it names exists", async () => {
  const sources = (await Promise.all(folders.map(sourcesBelow))).flat().join("\n");
  const cells = await provingCells();
  expect(cells.length).toBeGreaterThan(150);
  const named = cells.map((cell) =>
    [...cell.matchAll(/"([^"]+)"|`([^`]+)`/g)].map(([, title, table]) =>
      title === undefined ? `const ${table}:` : `"${title}"`,
    ),
  );
  expect(cells.filter((_cell, index) => named[index]?.length === 0)).toEqual([]);
  const missing = named.flat().filter((name) => !sources.includes(name));
  expect(missing).toEqual([]);
});
