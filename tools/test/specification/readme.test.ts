import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

interface Row {
  section: string;
  title: string;
  file: string;
}

async function readRows(): Promise<readonly Row[]> {
  const readme = await readFile(new URL("README.md", import.meta.url), "utf8");
  const lines = readme.split("\n").filter((line) => /^\| (?!Section|---)/.test(line));
  return lines.map((line) => {
    const row = /^\| ([^|]+) \| [^|]+ \| "([^"|]+)" \| `([^`|]+)` \|$/.exec(line);
    if (row === null) throw new Error(`This is no row: ${line}`);
    const [, section = "", title = "", file = ""] = row;
    return { section, title, file };
  });
}

test("every sentence has a test of its own, and every test is in the file that is named", async () => {
  const rows = await readRows();
  const names = rows.map(({ file, title }) => `${file}: ${title}`);
  expect(new Set(names).size).toBe(names.length);
  const missing: string[] = [];
  for (const { file, title } of rows) {
    const source = await readFile(new URL(`../../../${file}`, import.meta.url), "utf8");
    const opens = [`it("${title}"`, `)("${title}"`, `\n    "${title}",`].some((text) =>
      source.includes(text),
    );
    if (!opens) missing.push(`${file}: ${title}`);
  }
  expect(missing).toEqual([]);
});

test("every section is there", async () => {
  const sections = new Set((await readRows()).map(({ section }) => section.split(",")[0]));
  for (const section of ["Discovery proxy", "Versioning", "Start-up sequence", "Upgrade procedure", "Health"])
    expect(sections).toContain(section);
});
