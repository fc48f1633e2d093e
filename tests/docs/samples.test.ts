/** A sample can be tried as it is printed: beside the development system, with what its page says to install. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSettings } from "../../tools/src/development/settings.js";
import { codeBlocks, listDocuments, root } from "./markdown.js";

const samples = listDocuments()
  .flatMap(codeBlocks)
  .filter(({ language, mark }) => ["ts", "js"].includes(language) && mark !== "fragment");

test("no sample listens where the development system does", () => {
  const taken = new Set(Object.values(readSettings({}).ports));
  const listening = samples.flatMap(({ path, line, code }) =>
    [...code.matchAll(/(?:\blisten\(|\bport: ?|\bPORT\b[^\n]*\?\? ?)(\d+)/g)].map(([, port]) => ({
      place: `${path}:${line}`,
      port: Number(port),
    })),
  );
  expect(listening.length).toBeGreaterThan(5);
  expect(listening.filter(({ port }) => taken.has(port))).toEqual([]);
});

const packages = samples.filter(({ path }) => /^packages\/[\w-]+\/README\.md$/.test(path));

test.each([...new Set(packages.map(({ path }) => path))])(
  "%s says to install what its samples import",
  (path) => {
    const code = packages.filter((sample) => sample.path === path).map((sample) => sample.code);
    const imported = code.flatMap((text) => [...text.matchAll(/\bfrom "((?:@[\w-]+\/)?[\w-]+)[/"]/g)]);
    const names = new Set(imported.map(([, name = ""]) => name));
    const untyped = [...names].filter((name) => !hasTypes(name));
    const needed = new Set([...names, ...untyped.map((name) => `@types/${name}`)]);
    if (code.some((text) => /"node:|\b(?:process|console|Buffer)\./.test(text))) needed.add("@types/node");
    const installed = codeBlocks(path)
      .filter(({ language }) => language === "sh")
      .flatMap((block) => [...block.code.matchAll(/^npm install (.+)$/gm)])
      .flatMap(([, typed = ""]) => typed.split(" "));
    expect([...needed].filter((name) => !installed.includes(name))).toEqual([]);
  },
);

/** Whether a package brings its declarations itself. */
function hasTypes(name: string): boolean {
  const file = join(root, "node_modules", name, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  return (
    "types" in manifest ||
    "typings" in manifest ||
    JSON.stringify(manifest["exports"] ?? "").includes('"types"')
  );
}
