import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "@authz/dpop/jws";
import type { FileEntry } from "@authz/agent-tools/hosts";
import type { Obstacle } from "./toml-table.js";

/** A token of a JSON text and where it is. */
type Token = RegExpExecArray;

/** Adds an entry to a JSON text, whose own characters all stay as they are. */
export function addJsonMember(text: string, { at, entry }: FileEntry): string | Obstacle {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: "unreadable" };
  }
  for (const [depth, name] of at.entries()) {
    if (!isJsonObject(value)) return { problem: "unreadable" };
    if (!Object.hasOwn(value, name)) {
      const added = at.slice(depth + 1).reduceRight<object>((inner, step) => ({ [step]: inner }), entry);
      return insertMember(text, at.slice(0, depth), [name, added]);
    }
    value = value[name];
  }
  return isDeepStrictEqual(value, entry) ? text : { problem: "taken" };
}

/** Inserts a last member into the object that a path leads to, written like the members before it. */
function insertMember(text: string, path: readonly string[], [name, value]: [string, object]): string {
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g)];
  const open = path.reduce((object, step) => valueIn(tokens, object, step), 0);
  const last = closing(tokens, open) - 1;
  const unit = /^\{\r?\n([ \t]+)/.exec(text)?.[1] ?? "  ";
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const isEmpty = last === open;
  const gap = isEmpty ? "" : text.slice(endOf(tokens[open]), tokens[open + 1]?.index);
  const isExpanded = isEmpty ? text.trim() === "{}" || text.trim().includes("\n") : gap.includes("\n");
  const outer = /[ \t]*/.exec(lineOf(text, tokens[open]?.index ?? 0))?.[0] ?? "";
  const indent = isEmpty ? outer + unit : (gap.split("\n").at(-1) ?? "");
  const written = isExpanded
    ? JSON.stringify(value, undefined, unit).replaceAll("\n", `${lineEnd}${indent}`)
    : JSON.stringify(value);
  const before = isEmpty ? "" : ",";
  const after = isEmpty && isExpanded ? `${lineEnd}${outer}` : "";
  const member = `${isExpanded ? `${lineEnd}${indent}` : gap}${JSON.stringify(name)}: ${written}`;
  const place = endOf(tokens[last]);
  return `${text.slice(0, place)}${before}${member}${after}${text.slice(place)}`;
}

/** Where the value of a member begins. Of several with the same name the last one counts, as everywhere. */
function valueIn(tokens: readonly Token[], object: number, name: string): number {
  const end = closing(tokens, object);
  let found = object;
  for (let at = object + 1; at < end; at = closing(tokens, at + 2) + 2)
    if (JSON.parse(tokens[at]?.[0] ?? "") === name) found = at + 2;
  return found;
}

/** The last token of the value that begins at one. */
function closing(tokens: readonly Token[], begin: number): number {
  let depth = 0;
  let at = begin;
  for (; at < tokens.length; at += 1) {
    const [token = ""] = tokens[at] ?? [];
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
    if (depth === 0) break;
  }
  return at;
}

function endOf(token: Token | undefined): number {
  return (token?.index ?? 0) + (token?.[0].length ?? 0);
}

/** The line that an index is in, from its beginning. */
function lineOf(text: string, index: number): string {
  return text.slice(text.lastIndexOf("\n", index) + 1);
}
