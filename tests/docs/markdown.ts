import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root, with a trailing slash. */
export const root: string = fileURLToPath(new URL("../../", import.meta.url));

/** A fenced block of a document. */
export interface CodeBlock {
  /** The document, from the root. */
  readonly path: string;
  /** Line number of the opening fence. */
  readonly line: number;
  /** The first word after the fence, or an empty string. */
  readonly language: string;
  /** The text after the language, such as `fragment`. */
  readonly mark: string;
  /** Without the indentation of a list. */
  readonly code: string;
}

/** Paths of all tracked and untracked documents, relative to the root. */
export function listDocuments(): string[] {
  const options = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"];
  const paths = execFileSync("git", options, { cwd: root }).toString().split("\0");
  return paths.filter((path) => path !== "" && existsSync(join(root, path)));
}

export function readDocument(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** The fenced blocks of a document, in order. A longer fence may contain shorter ones. */
export function codeBlocks(path: string): CodeBlock[] {
  const text = readDocument(path);
  const fences = text.matchAll(/^( *)(`{3,}|~{3,})(\w*) ?([^\n]*)\n([^]*?)^\1\2$/gm);
  return [...fences].map(({ index, 1: indent = "", 3: language = "", 4: mark = "", 5: code = "" }) => ({
    path,
    line: text.slice(0, index).split("\n").length,
    language,
    mark,
    code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
}
