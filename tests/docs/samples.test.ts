/** Samples run as printed beside the development system, with the packages that their page installs. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { readSettings } from "../../tools/src/development/settings.js";
import { codeBlocks, listDocuments, root } from "./markdown.js";

const blocks = listDocuments().flatMap(codeBlocks);
const samples = blocks.filter(({ language, mark }) => ["ts", "js"].includes(language) && mark !== "fragment");

test("no sample uses a port of the development system", () => {
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

/** Documents whose samples are not compiled from the document, with the reason. */
const compiledElsewhere: Readonly<Record<string, string>> = {
  "CONTRIBUTING.md": "reference-server/test/admin/example compiles and runs it",
  "reference-server/web/README.md": "uses parts of an area that does not exist",
};

test("every TypeScript sample is compiled", () => {
  // packages/contract-tests/test/readme.test.ts compiles these documents.
  const compiled = /^(?:README\.md|docs\/.+|(?:packages|examples)\/[\w-]+\/README\.md)$/;
  const typescript = blocks.filter(({ language }) => /^tsx?$/.test(language));
  const others = new Set(typescript.map(({ path }) => path).filter((path) => !compiled.test(path)));
  expect([...others].sort()).toEqual(Object.keys(compiledElsewhere));
});

test.each(samples.filter(({ language }) => language === "js"))("$path:$line is JavaScript", ({ code }) => {
  const options = ["--input-type=module", "--check", "-"];
  const { status, stderr } = spawnSync(process.execPath, options, { input: code, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test.each(blocksIn("json"))("$path:$line is JSON", ({ code }) => {
  expect(() => JSON.parse(code) as unknown).not.toThrow();
});

test.each(blocksIn("yaml"))("$path:$line is YAML", ({ code }) => {
  expect(parseAllDocuments(code).flatMap(({ errors }) => errors)).toEqual([]);
});

test("every block has a known language", () => {
  const known = ["console", "http", "js", "json", "nginx", "sh", "sql", "text", "toml", "ts", "tsx", "yaml"];
  const others = blocks.filter(({ language }) => !known.includes(language));
  expect(others.map(({ path, line, language }) => `${path}:${line} ${language}`)).toEqual([]);
});

const packages = samples.filter(({ path }) => /^packages\/[\w-]+\/README\.md$/.test(path));

test.each([...new Set(packages.map(({ path }) => path))])(
  "%s installs the imports of its samples",
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

/** Whether a package contains its type declarations. */
function hasTypes(name: string): boolean {
  const file = join(root, "node_modules", name, "package.json");
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  return (
    "types" in manifest ||
    "typings" in manifest ||
    JSON.stringify(manifest["exports"] ?? "").includes('"types"')
  );
}

function blocksIn(wanted: string): typeof blocks {
  return blocks.filter(({ language }) => language === wanted);
}
