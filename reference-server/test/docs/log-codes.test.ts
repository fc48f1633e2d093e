import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const sources = new URL("../../src/", import.meta.url);
const page = readFileSync(new URL("../../../docs/reference/log-codes.md", import.meta.url), "utf8");

/** Every code that a line of the log can have. */
function codesOfSources(): string[] {
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const texts = files.map((file) => readFileSync(new URL(file, sources), "utf8"));
  const logged = texts.flatMap((text) => [...text.matchAll(/\bcode: "([A-Z][A-Z0-9_]+)"/g)]);
  const thrown = readFileSync(new URL("store/migrate/migration-error.ts", sources), "utf8").matchAll(
    /\| "([A-Z0-9_]+)"/g,
  );
  return [...new Set([...logged, ...thrown].map(([, code = ""]) => code))].sort();
}

test("every code of the log is explained, and no other", () => {
  const explained = [...page.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)].map(([, code = ""]) => code);
  expect(explained.sort()).toEqual(codesOfSources());
});

/** The start of each call that writes a line at level 40 or above, with the file it is in. */
function linesThatAskForAttention(): readonly { readonly file: string; readonly call: string }[] {
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  return files.flatMap((file) => {
    const text = readFileSync(new URL(file, sources), "utf8");
    const calls = text.matchAll(/\blog\??\.(?:warn|error|fatal)\(\s*[^;]{0,120}/g);
    return [...calls].map(([call]) => ({ file, call }));
  });
}

test("every line that asks for attention has a code", () => {
  const lines = linesThatAskForAttention();
  expect(lines.length).toBeGreaterThan(15);
  expect(lines.filter(({ call }) => !/\bcode\b|Code\(/.test(call))).toEqual([]);
});
