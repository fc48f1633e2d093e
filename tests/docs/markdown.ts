import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root, with a slash at its end. */
export const root: string = fileURLToPath(new URL("../../", import.meta.url));

/** A fenced block of a document. */
export interface CodeBlock {
  /** The document, from the root. */
  readonly path: string;
  /** The number of its first line, the fence. */
  readonly line: number;
  /** The first word behind the fence; empty when there is none. */
  readonly language: string;
  /** What stands behind it, such as `fragment`. */
  readonly mark: string;
  /** Without the indentation that a list gives it. */
  readonly code: string;
}

/** Every document that git has or would take, from the root. */
export function listDocuments(): string[] {
  const options = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"];
  const paths = execFileSync("git", options, { cwd: root }).toString().split("\0");
  return paths.filter((path) => path !== "" && existsSync(join(root, path)));
}

/** The text of a document. */
export function readDocument(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** The fenced blocks of a document, in their order. A longer fence holds shorter ones as its text. */
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
