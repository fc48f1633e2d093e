/** A sample can be tried as it is printed: beside the development system, with what its page says to install. */
import { spawnSync } from "node:child_process";
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

/** What no compiler sees from the document, and why. */
const compiledElsewhere: Readonly<Record<string, string>> = {
  "CONTRIBUTING.md": "reference-server/test/admin/example compiles and runs it",
  "reference-server/web/README.md": "takes parts of an area that does not exist",
};

test("every TypeScript sample is compiled with the code of the documentation, or elsewhere", () => {
  // Those are the documents that packages/contract-tests/test/readme.test.ts takes.
  const compiled = /^(?:README\.md|docs\/.+|(?:packages|examples)\/[\w-]+\/README\.md)$/;
  const typescript = listDocuments()
    .flatMap(codeBlocks)
    .filter(({ language }) => /^tsx?$/.test(language));
  const others = new Set(typescript.map(({ path }) => path).filter((path) => !compiled.test(path)));
  expect([...others].sort()).toEqual(Object.keys(compiledElsewhere));
});

test.each(samples.filter(({ language }) => language === "js"))("$path:$line is JavaScript", ({ code }) => {
  const options = ["--input-type=module", "--check", "-"];
  const { status, stderr } = spawnSync(process.execPath, options, { input: code, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
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
