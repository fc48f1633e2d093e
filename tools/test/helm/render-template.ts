/** Renders what `parseTemplate` read, with the functions of Helm that our chart uses. */
import { stringify } from "yaml";
import type { Block, Node, Pipeline, Term } from "./parse-template.js";

export type Definitions = Map<string, readonly Node[]>;

/** What a template sees: the current value, and the variables around it. */
interface Scope {
  readonly dot: unknown;
  readonly variables: ReadonlyMap<string, unknown>;
}

type Arguments = readonly unknown[];

/** Collects the definitions of one file, so that other files can include them. */
export function collectDefinitions(nodes: readonly Node[], definitions: Definitions): void {
  for (const node of nodes) {
    if (node.kind !== "define") continue;
    const name = node.pipeline[0]?.[0];
    if (name?.kind === "literal") definitions.set(String(name.value), node.body);
  }
}

export function renderTemplate(nodes: readonly Node[], root: unknown, definitions: Definitions): string {
  return render(nodes, { dot: root, variables: new Map([["$", root]]) });

  function render(body: readonly Node[], scope: Scope): string {
    return body.map((node) => renderNode(node, scope)).join("");
  }

  function renderNode(node: Node, scope: Scope): string {
    switch (node.kind) {
      case "text":
        return node.text;
      case "output":
        return textOf(evaluate(node.pipeline, scope));
      case "define":
        return "";
      case "if":
        return isTrue(evaluate(node.pipeline, scope)) ? render(node.body, scope) : "";
      case "with": {
        const dot = evaluate(node.pipeline, scope);
        return isTrue(dot) ? render(node.body, { ...scope, dot }) : "";
      }
      case "range":
        return renderRange(node, scope);
      default:
        throw new Error("Nothing else is read.");
    }
  }

  function renderRange({ pipeline, variables, body }: Block, scope: Scope): string {
    const [key, value] = variables;
    const items = Object.entries((evaluate(pipeline, scope) ?? {}) as Record<string, unknown>);
    return items
      .map(([name, item]) => {
        const inner = new Map(scope.variables);
        if (key !== undefined) inner.set(key, name);
        if (value !== undefined) inner.set(value, item);
        return render(body, { dot: item, variables: inner });
      })
      .join("");
  }

  function evaluate(pipeline: Pipeline, scope: Scope): unknown {
    let result: Arguments = [];
    for (const [first, ...rest] of pipeline) {
      const given = [...rest.map((term) => valueOf(term, scope)), ...result];
      result = [first?.kind === "function" ? call(first.name, given) : valueOf(first, scope)];
    }
    return result[0];
  }

  function valueOf(term: Term | undefined, scope: Scope): unknown {
    if (term === undefined) return undefined;
    switch (term.kind) {
      case "literal":
        return term.value;
      case "parentheses":
        return evaluate(term.pipeline, scope);
      case "function":
        return call(term.name, []);
      case "path": {
        const start = term.root === "." ? scope.dot : scope.variables.get(term.root);
        return term.fields.reduce((value, field) => (value as Record<string, unknown>)[field], start);
      }
      default:
        throw new Error("Nothing else is read.");
    }
  }

  function call(name: string, given: Arguments): unknown {
    if (name === "include") {
      const body = definitions.get(String(given[0]));
      if (body === undefined) throw new Error(`${String(given[0])} is not defined.`);
      return render(body, { dot: given[1], variables: new Map([["$", given[1]]]) });
    }
    const operation = operations[name];
    if (operation === undefined) throw new Error(`The tests do not know the function ${name}.`);
    return operation(given);
  }
}

const operations: Readonly<Record<string, (given: Arguments) => unknown>> = {
  and: (given) => given.find((value) => !isTrue(value)) ?? given.at(-1),
  default: ([fallback, value]) => (isTrue(value) ? value : fallback),
  dict: (given) =>
    Object.fromEntries(given.flatMap((key, at) => (at % 2 === 0 ? [[String(key), given[at + 1]]] : []))),
  div: ([one, other]) => Math.trunc(Number(one) / Number(other)),
  join: ([separator, list]) => (list as unknown[]).map(textOf).join(String(separator)),
  list: (given) => given,
  not: ([value]) => !isTrue(value),
  nindent: ([width, text]) => `\n${indent(String(text), Number(width))}`,
  or: (given) => given.find(isTrue) ?? given.at(-1),
  printf: ([format, ...values]) => {
    let next = 0;
    return String(format).replaceAll("%s", () => textOf(values[next++]));
  },
  quote: ([value]) => JSON.stringify(textOf(value)),
  required: ([message, value]) => {
    if (value === undefined || value === null || value === "") throw new Error(String(message));
    return value;
  },
  toYaml: ([value]) => stringify(value, { lineWidth: 0 }).trimEnd(),
  trimPrefix: ([prefix, text]) => String(text).replace(new RegExp(`^${String(prefix)}`), ""),
};

function indent(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => " ".repeat(width) + line)
    .join("\n");
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** What Go takes for false: nothing, zero, and everything empty. */
function isTrue(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== "" && value !== 0 && value !== false;
}
