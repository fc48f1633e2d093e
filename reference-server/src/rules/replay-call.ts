import type { CallRule } from "./call-rule.js";
import { compileCondition } from "./condition.js";
import { type CallDecision, decideOutcome, type Outcome } from "./decide-call.js";
import { matchTemplate } from "./match-path.js";

/** What the audit trail keeps of a call: neither address, query, headers nor body. */
export interface KeptCall {
  readonly method: string;
  readonly host: string;
  /** Variables of one segment as `{name}`; `{…}` at the end for any remainder. */
  readonly pathTemplate: string;
  readonly person: { readonly id: string; readonly email: string | null };
  readonly app: { readonly id: string };
  readonly at: Date;
}

/** What the rules would have said of a call, as far as that can be told. */
export type Replay =
  | CallDecision
  | {
      /** It depends on what is not kept. */
      readonly outcome: { readonly type: "unclear" };
      /** The first rule that may have decided. */
      readonly rule: number;
    };

/**
 * Decides about a call of the past. A rule whose match depends on what is not kept may have decided or not: the answer is clear when all
 * rules that may have decided do the same.
 */
export function replayCall(rules: readonly CallRule[], call: KeptCall): Replay {
  const possible: CallDecision[] = [];
  for (const [index, rule] of rules.entries()) {
    const match = matchKept(rule, call);
    if (match === "no") continue;
    possible.push({ outcome: decideOutcome(rule), rule: index });
    if (match === "yes") break;
  }
  const [first, ...others] = possible;
  if (first === undefined) return { outcome: { type: "refuse", sentence: undefined }, rule: rules.length };
  const isClear = others.every(({ outcome }) => isSame(outcome, first.outcome));
  return isClear ? first : { outcome: { type: "unclear" }, rule: first.rule };
}

function matchKept(rule: CallRule, call: KeptCall): "yes" | "no" | "unclear" {
  const { methods, path, when } = rule;
  if (rule.default !== undefined) return "yes";
  if (methods !== undefined && !methods.some((method) => method === call.method)) return "no";
  const pathFits = path === undefined ? "yes" : matchTemplate(path, call.pathTemplate, rule.allow === true);
  if (pathFits === "no" || when === undefined) return pathFits;
  const value = evaluateKept(when, call);
  if (value === false) return "no";
  return value === true ? pathFits : "unclear";
}

function evaluateKept(when: string, { method, host, person, app, at }: KeptCall): boolean | undefined {
  const condition = compileCondition(when);
  if (condition.usesBody || condition.usesQuery || condition.usesAddress) return undefined;
  return condition.evaluate({
    request: { method, host, path: "", query: {}, headers: {} },
    body: null,
    person: { id: person.id, email: person.email ?? "" },
    app,
    now: at,
  });
}

function isSame(one: Outcome, other: Outcome): boolean {
  return one.type !== "limit" && one.type === other.type;
}
