import { readDocument } from "../../website/site/pages.mjs";

export { listDocuments, readDocument, root } from "../../website/site/pages.mjs";

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
