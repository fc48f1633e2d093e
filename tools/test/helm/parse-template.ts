/** Reads the part of Go's template language that our chart uses. Anything else is an error. */

export type Node =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "output"; readonly pipeline: Pipeline }
  | Block;

export interface Block {
  readonly kind: "if" | "with" | "range" | "define";
  /** What is tested, entered or walked through; the name of a definition. */
  readonly pipeline: Pipeline;
  /** `$key, $value :=` of a range. */
  readonly variables: readonly string[];
  readonly body: readonly Node[];
}

/** Each command gets the result of the one before as its last argument. */
export type Pipeline = readonly (readonly Term[])[];

export type Term =
  | { readonly kind: "literal"; readonly value: string | number }
  /** `.a.b`, `$.a.b` or `$name.a`; the root `.` is the current value. */
  | { readonly kind: "path"; readonly root: string; readonly fields: readonly string[] }
  | { readonly kind: "function"; readonly name: string }
  | { readonly kind: "parentheses"; readonly pipeline: Pipeline };

const token = /"(?:[^"\\]|\\.)*"|\d+|(?:\$\w*)?(?:\.\w+)+|\$\w*|\.|\w+|:=|[|(),]/g;

export function parseTemplate(source: string): readonly Node[] {
  // As Go does: a dash takes all white space on its side.
  const trimmed = source.replaceAll(/\s*\{\{- /g, "{{ ").replaceAll(/ -\}\}\s*/g, " }}");
  const pieces = trimmed.split(/\{\{([\s\S]*?)\}\}/);
  const { nodes, next } = parseNodes(pieces, 0);
  if (next < pieces.length) throw new Error("There is an end without a beginning.");
  return nodes;
}

/** Texts at even places, actions at odd ones, up to the end that belongs to the block. */
function parseNodes(pieces: readonly string[], start: number): { nodes: readonly Node[]; next: number } {
  const nodes: Node[] = [];
  let at = start;
  while (at < pieces.length) {
    const piece = (pieces[at] ?? "").trim();
    const [word = ""] = piece.split(/\s/, 1);
    if (at % 2 === 0) {
      nodes.push({ kind: "text", text: pieces[at] ?? "" });
    } else if (word === "end") {
      return { nodes, next: at + 1 };
    } else if (word === "if" || word === "with" || word === "range" || word === "define") {
      const inner = parseNodes(pieces, at + 1);
      nodes.push({ kind: word, ...parseHead(piece.slice(word.length)), body: inner.nodes });
      at = inner.next;
      continue;
    } else if (!piece.startsWith("/*")) {
      nodes.push({ kind: "output", pipeline: parsePipeline(tokensOf(piece)) });
    }
    at += 1;
  }
  return { nodes, next: at };
}

function parseHead(code: string): Pick<Block, "pipeline" | "variables"> {
  const tokens = tokensOf(code);
  const assigned = tokens.indexOf(":=");
  const variables = tokens.slice(0, Math.max(0, assigned)).filter((name) => name !== ",");
  return { variables, pipeline: parsePipeline(tokens.slice(assigned + 1)) };
}

function tokensOf(code: string): string[] {
  const rest = code.replaceAll(token, "").trim();
  if (rest !== "") throw new Error(`The template language of these tests does not know ${rest}`);
  return code.match(token) ?? [];
}

function parsePipeline(tokens: readonly string[]): Pipeline {
  const commands: Term[][] = [[]];
  for (let at = 0; at < tokens.length; at += 1) {
    const text = tokens[at] ?? "";
    if (text === "|") {
      commands.push([]);
    } else if (text === "(") {
      const close = closingOf(tokens, at);
      commands.at(-1)?.push({ kind: "parentheses", pipeline: parsePipeline(tokens.slice(at + 1, close)) });
      at = close;
    } else {
      commands.at(-1)?.push(parseTerm(text));
    }
  }
  return commands;
}

function closingOf(tokens: readonly string[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    if (tokens[at] === "(") depth += 1;
    if (tokens[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error("There is a parenthesis without its end.");
}

function parseTerm(text: string): Term {
  if (text.startsWith('"')) return { kind: "literal", value: JSON.parse(text) as string };
  if (/^\d+$/.test(text)) return { kind: "literal", value: Number(text) };
  if (!text.startsWith(".") && !text.startsWith("$")) return { kind: "function", name: text };
  const [root = "", ...fields] = text.split(".");
  return { kind: "path", root: root === "" ? "." : root, fields: fields.filter((field) => field !== "") };
}
