import vm from "node:vm";
import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import { LRUCache } from "lru-cache";

/** What a condition is evaluated over. */
interface ConditionInput {
  readonly request: {
    readonly method: string;
    readonly host: string;
    readonly path: string;
    readonly query: Readonly<Record<string, string>>;
    /** By lower-case names. */
    readonly headers: Readonly<Record<string, string>>;
  };
  /** The JSON body; numbers are doubles. */
  readonly body: unknown;
  readonly person: { readonly id: string; readonly email: string };
  readonly app: { readonly id: string };
  readonly now: Date;
}

/** A compiled condition. */
export interface Condition {
  /** It looks at the body, which must be readable then. */
  readonly usesBody: boolean;
  /** It looks at the query, whose names must be unique then. */
  readonly usesQuery: boolean;
  /** It looks at the path or the headers. */
  readonly usesAddress: boolean;
  /** `undefined`: it has no value for this call, or took too long. */
  readonly evaluate: (input: ConditionInput) => boolean | undefined;
}

/** Why a text is no condition of a rule. */
export type ConditionFault =
  | { readonly code: "conditionLong"; readonly most: number }
  | { readonly code: "conditionMalformed"; readonly text: string; readonly at: number }
  | { readonly code: "conditionFunction"; readonly name: string }
  | { readonly code: "conditionLiteral"; readonly name: string }
  | { readonly code: "conditionNested" }
  | { readonly code: "conditionBoolean" };

export const maximumConditionLength = 1_000;

const environment = new Environment({
  unlistedVariablesAreDyn: false,
  limits: { maxAstNodes: 200, maxDepth: 20, maxListElements: 50, maxMapEntries: 10, maxCallArguments: 5 },
})
  .registerVariable("request", {
    schema: {
      method: "string",
      host: "string",
      path: "string",
      query: "map<string, string>",
      headers: "map<string, string>",
    },
  })
  .registerVariable("body", "dyn")
  .registerVariable("person", { schema: { id: "string", email: "string" } })
  .registerVariable("app", { schema: { id: "string" } })
  .registerVariable("now", "google.protobuf.Timestamp");

/** Each runs its argument for every element, so one must not stand inside another. */
const comprehensions: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "filter"]);
/** Searching one text of the caller for another one can take time that grows with their product. */
const literalArgument: ReadonlySet<string> = new Set(["startsWith", "endsWith", "contains", "indexOf"]);
/**
 * Functions whose cost is linear. Left out: `matches`, which backtracks; `map`, `split`, `join` and `cel.bind`, with which a short
 * expression builds a long value; and bytes.
 */
const plainFunctions =
  "has size lowerAscii upperAscii trim int uint double string bool type dyn timestamp duration getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours getMinutes getMonth getSeconds";
const functions: ReadonlySet<string> = new Set([
  ...comprehensions,
  ...literalArgument,
  ...plainFunctions.split(" "),
]);

/** Compiled conditions of this process, by their texts: a list of rules is read from the database for every call. */
const compiled = new LRUCache<string, Condition>({ max: 1_000 });

/** Compiles the condition of a stored rule. One that is refused by now, after an update, has no value for any call. */
export function compileCondition(text: string): Condition {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const result = compile(text);
  const condition: Condition =
    "code" in result
      ? { usesBody: false, usesQuery: false, usesAddress: false, evaluate: () => undefined }
      : result;
  compiled.set(text, condition);
  return condition;
}

/** What is wrong with a condition; nothing when it can be evaluated at a bounded cost. */
export function findConditionFault(text: string): ConditionFault | undefined {
  const condition = compile(text);
  return "code" in condition ? condition : undefined;
}

function compile(text: string): Condition | ConditionFault {
  if (text.length > maximumConditionLength) return { code: "conditionLong", most: maximumConditionLength };
  let parsed: ReturnType<typeof environment.parse>;
  try {
    parsed = environment.parse(text);
  } catch (error) {
    return malformed(error);
  }
  const uses = { names: new Set<string>(), members: new Set<string>(), loops: false };
  const fault = inspect(parsed.ast, { uses, inLoop: false });
  if (fault !== undefined) return fault;
  const checked = parsed.check();
  if (!checked.valid) return malformed(checked.error);
  if (checked.type !== "bool" && checked.type !== "dyn") return { code: "conditionBoolean" };
  return {
    usesBody: uses.names.has("body"),
    usesQuery: uses.members.has("query"),
    usesAddress: uses.members.has("path") || uses.members.has("headers"),
    evaluate(input) {
      const value = evaluate(() => parsed({ ...input }) as unknown, uses.loops);
      return typeof value === "boolean" ? value : undefined;
    },
  };
}

function malformed(error: unknown): ConditionFault {
  const { summary = "malformed", range } = error as { summary?: string; range?: { start: number } };
  return { code: "conditionMalformed", text: summary, at: (range?.start ?? 0) + 1 };
}

interface Inspection {
  /** What the expression mentions. */
  readonly uses: { readonly names: Set<string>; readonly members: Set<string>; loops: boolean };
  readonly inLoop: boolean;
}

/** Finds what the expression uses, and the first thing in it whose cost has no bound. */
function inspect(node: ASTNode, inspection: Inspection): ConditionFault | undefined {
  const { uses } = inspection;
  if (node.op === "value") return undefined;
  if (node.op === "id") return void uses.names.add(node.args);
  if (node.op === "." || node.op === ".?") {
    uses.members.add(node.args[1]);
    return inspect(node.args[0], inspection);
  }
  if (node.op === "call" || node.op === "rcall") return inspectCall(node, inspection);
  const children = nodesIn(node.args);
  // `request["query"]` is the member as well as `request.query`.
  for (const { op, args } of children) if (op === "value" && typeof args === "string") uses.members.add(args);
  return inspectAll(children, inspection);
}

function inspectCall(
  node: Extract<ASTNode, { op: "call" | "rcall" }>,
  inspection: Inspection,
): ConditionFault | undefined {
  const [name] = node.args;
  const receiver = node.op === "rcall" ? [node.args[1]] : [];
  const given = node.op === "rcall" ? node.args[2] : node.args[1];
  if (!functions.has(name)) return { code: "conditionFunction", name };
  if (literalArgument.has(name) && given.some(({ op }) => op !== "value")) {
    return { code: "conditionLiteral", name };
  }
  const isLoop = comprehensions.has(name);
  if (isLoop && inspection.inLoop) return { code: "conditionNested" };
  if (isLoop) inspection.uses.loops = true;
  const inside = isLoop ? { ...inspection, inLoop: true } : inspection;
  return inspectAll(receiver, inspection) ?? inspectAll(given, inside);
}

function inspectAll(nodes: readonly ASTNode[], inspection: Inspection): ConditionFault | undefined {
  for (const node of nodes) {
    const fault = inspect(node, inspection);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function nodesIn(value: unknown): readonly ASTNode[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  return typeof value === "object" && value !== null && "op" in value ? [value as ASTNode] : [];
}

/** For an expression with a loop; others are linear in the expression and its input. */
const mostMilliseconds = 50;
const script = new vm.Script("run()");
let sandbox: vm.Context | undefined;

/** The value of an expression; `undefined` when it fails. A time limit costs a thread, so only loops have one. */
function evaluate(task: () => unknown, hasLimit: boolean): unknown {
  try {
    if (!hasLimit) return task();
    sandbox ??= vm.createContext({});
    sandbox["run"] = task;
    return script.runInContext(sandbox, { timeout: mostMilliseconds }) as unknown;
  } catch {
    return undefined;
  } finally {
    if (sandbox !== undefined) sandbox["run"] = undefined;
  }
}
