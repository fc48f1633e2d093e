import { type Approver, type CallRule, type LimitPeriod, readApprover } from "./call-rule.js";
import { compileCondition } from "./condition.js";
import { matchPath } from "./match-path.js";
import { type ReadableCall, readCall, type RuledCall, type UnclearReason } from "./readable-call.js";

/** What a rule does with a call. */
export type Outcome =
  | { readonly type: "allow" }
  | { readonly type: "ask"; readonly approver: Approver }
  | {
      readonly type: "refuse";
      /** The administrator's words. */ readonly sentence: string | undefined;
    }
  | LimitOutcome;

/** The call is allowed as long as there is room in the limit. */
interface LimitOutcome {
  readonly type: "limit";
  readonly calls: number;
  readonly per: LimitPeriod;
  readonly beyond: Exclude<Outcome, { type: "limit" | "allow" }>;
}

/** What the rules say of a call. */
export interface CallDecision {
  readonly outcome: Outcome;
  /** The position of the rule that decides, from 0. */
  readonly rule: number;
  /** A rule could not be evaluated, so the call gets the stricter outcome. */
  readonly unclear?: UnclearReason;
}

/**
 * Decides about a call: the first rule that matches does. Pure, and bounded in time.
 *
 * A rule that cannot be evaluated may match or not. The stricter outcome of both counts, and it is at least a question, so that a call
 * never gets further by being unreadable.
 *
 * @param rules - checked, and not empty: the last one is the default
 */
export function decideCall(rules: readonly CallRule[], call: RuledCall): CallDecision {
  const readable = readCall(call);
  let strictest: CallDecision | undefined;
  for (const [index, rule] of rules.entries()) {
    const match = matchRule(rule, call, readable);
    if (match === "no") continue;
    const decision: CallDecision = { outcome: decideOutcome(rule), rule: index };
    if (match === "yes") return strictest === undefined ? decision : stricter(strictest, decision);
    const unclear: CallDecision = {
      ...decision,
      outcome: atLeastAsk(decision.outcome),
      unclear: match.unclear,
    };
    strictest = strictest === undefined ? unclear : stricter(strictest, unclear);
  }
  // Without a default, which no checked list lacks, the answer is the closed one.
  return strictest ?? { outcome: { type: "refuse", sentence: undefined }, rule: rules.length };
}

type Match = "yes" | "no" | { readonly unclear: UnclearReason };

/** Compares method and path, then the condition. */
function matchRule(
  { methods, path, when, default: otherwise, ...rule }: CallRule,
  call: RuledCall,
  readable: ReadableCall,
): Match {
  if (otherwise !== undefined) return "yes";
  const methodFits = methods === undefined || methods.some((method) => method === call.method);
  const pathFits = path === undefined ? "yes" : matchPath(path, call.url.pathname, rule.allow === true);
  const { hidden } = readable;
  if (hidden?.hides === "calls") {
    // Only a rule that names its path knows that it is about calls that contain others.
    if (path === undefined || pathFits === "no" || !methodFits) return { unclear: hidden.reason };
  } else {
    if (pathFits === "no") return "no";
    if (hidden !== undefined && methods !== undefined) return { unclear: hidden.reason };
    if (!methodFits) return "no";
  }
  if (pathFits === "unclear") return { unclear: "path" };
  return when === undefined ? "yes" : matchCondition(when, call, readable);
}

function matchCondition(when: string, call: RuledCall, { body, query, headers }: ReadableCall): Match {
  const condition = compileCondition(when);
  if (condition.usesBody && "unclear" in body) return body;
  if (condition.usesBody && "value" in body && Array.isArray(body.value)) return { unclear: "batch" };
  if (condition.usesQuery && query === undefined) return { unclear: "query" };
  const { method, url, person, app, now } = call;
  const value = condition.evaluate({
    request: { method, host: url.host, path: decodeURIComponent(url.pathname), query: query ?? {}, headers },
    body: "value" in body ? body.value : null,
    person: { id: person.id, email: person.email ?? "" },
    app: { id: app.id },
    now,
  });
  if (value === undefined) return { unclear: "condition" };
  return value ? "yes" : "no";
}

/** What a rule does with calls that it matches. */
export function decideOutcome(rule: CallRule): Outcome {
  const { allow, ask, refuse, limit, beyond, default: otherwise } = rule;
  if (limit !== undefined) {
    return { type: "limit", ...limit, beyond: beyond === "refuse" ? refusal(refuse) : asking(ask) };
  }
  if (refuse !== undefined || otherwise === "refuse") return refusal(refuse);
  if (ask !== undefined || otherwise === "ask") return asking(ask);
  return allow === true || otherwise === "allow" ? { type: "allow" } : refusal(undefined);
}

function refusal(sentence: string | undefined) {
  return { type: "refuse", sentence } as const;
}

/** A stored approver that can no longer be read is nobody's yes. */
function asking(ask = "self"): Exclude<Outcome, { type: "limit" | "allow" }> {
  const approver = readApprover(ask);
  return approver === undefined ? refusal(undefined) : { type: "ask", approver };
}

function atLeastAsk(outcome: Outcome): Outcome {
  if (outcome.type === "allow") return asking();
  return outcome.type === "limit" ? outcome.beyond : outcome;
}

/** The stricter of two decisions, the first one of equals; at least a question, because one of them is unclear. */
function stricter(first: CallDecision, second: CallDecision): CallDecision {
  const outcome = atLeastAsk(second.outcome);
  if (rank(first.outcome) >= rank(outcome)) return first;
  return { ...second, outcome, ...(first.unclear !== undefined && { unclear: first.unclear }) };
}

function rank(outcome: Outcome): number {
  if (outcome.type === "refuse") return 3;
  if (outcome.type === "ask") return outcome.approver === "self" ? 1 : 2;
  return 0;
}
