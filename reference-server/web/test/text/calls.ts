import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst, transformWithEsbuild } from "vite";

/** One `t(key, values)`; dynamic parts of the key are `*`. */
interface Call {
  readonly key: string;
  /** Names of values and tags; `undefined` unless the argument is an object literal. */
  readonly values: readonly string[] | undefined;
}

export interface SourceFile {
  readonly calls: readonly Call[];
  /** Every string that is a key of a catalogue, or the beginning of one. */
  readonly strings: readonly string[];
  /** Static imports. */
  readonly imports: readonly string[];
  /** Dynamic imports. */
  readonly loads: readonly string[];
}

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}

export const src = fileURLToPath(new URL("../../src/", import.meta.url));

export async function readSource(file: string): Promise<SourceFile> {
  const { code } = await transformWithEsbuild(readFileSync(file, "utf8"), file, { jsx: "automatic" });
  const calls: Call[] = [];
  const strings: string[] = [];
  const imports: string[] = [];
  const loads: string[] = [];
  visit(parseAst(code) as unknown as Node, (node) => {
    const { type, callee, source } = node as Node & { readonly callee?: Node; readonly source?: Node };
    const texts = textOf(node);
    if (texts !== undefined) strings.push(texts);
    if (type === "CallExpression" && callee?.["name"] === "t") {
      const [key, values] = node["arguments"] as Node[];
      calls.push(
        ...keysOf(key).map((one) => ({ key: one, values: values === undefined ? [] : namesOf(values) })),
      );
    }
    const imported = source?.["value"];
    if (typeof imported !== "string" || !imported.startsWith(".")) return;
    const path = resolveImport(file, imported);
    if (path !== undefined) (type === "ImportExpression" ? loads : imports).push(path);
  });
  return { calls, strings, imports, loads };
}

function resolveImport(file: string, imported: string): string | undefined {
  const path = resolve(file, "..", imported);
  return [".ts", ".tsx"].map((ending) => path + ending).find((one) => existsSync(one));
}

function visit(node: Node, look: (node: Node) => void): void {
  look(node);
  for (const value of Object.values(node)) {
    for (const child of [value].flat()) if (isNode(child)) visit(child, look);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

function textOf(node: Node): string | undefined {
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type !== "TemplateLiteral") return undefined;
  return (node["quasis"] as { readonly value: { readonly cooked: string } }[])
    .map(({ value }) => value.cooked)
    .join("*");
}

function keysOf(node: Node | undefined): readonly string[] {
  if (node?.type === "ConditionalExpression") {
    return [...keysOf(node["consequent"] as Node), ...keysOf(node["alternate"] as Node)];
  }
  const text = node && textOf(node);
  return text === undefined ? [] : [text];
}

function namesOf(node: Node): readonly string[] | undefined {
  if (node.type !== "ObjectExpression") return undefined;
  const members = node["properties"] as (Node & { readonly key?: Node })[];
  if (members.some(({ type }) => type !== "Property")) return undefined;
  return members.map(({ key }) => String(key?.["name"] ?? key?.["value"]));
}
