/** JSON and YAML in documents can be read by what reads them. */
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { codeBlocks, listDocuments } from "./markdown.js";

const blocks = listDocuments().flatMap(codeBlocks);
const named = (language: string) =>
  blocks
    .filter((block) => block.language === language)
    .map((block) => ({ place: `${block.path}:${block.line}`, code: block.code }));

it.each(named("json"))("$place is JSON", ({ code }) => {
  expect(() => JSON.parse(code) as unknown).not.toThrow();
});

it.each(named("yaml"))("$place is YAML", ({ code }) => {
  expect(parseAllDocuments(code).flatMap(({ errors }) => errors)).toEqual([]);
});

it("knows the language of every block", () => {
  const known = ["console", "http", "js", "json", "nginx", "sh", "sql", "text", "toml", "ts", "tsx", "yaml"];
  const others = blocks.filter(({ language }) => !known.includes(language));
  expect(others.map(({ path, line, language }) => `${path}:${line} ${language}`)).toEqual([]);
});
