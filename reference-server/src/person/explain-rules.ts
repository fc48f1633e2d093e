import { type CallRule, restricts } from "../rules/call-rule.js";
import { matchPath } from "../rules/match-path.js";
import type { Resource } from "../store/resources.js";

/** What a rule does with calls, as people and agents read it. The condition and the sentence are the administrator's own. */
export interface RuleDocument {
  /** Its number, from 1. The first that matches a call decides. */
  readonly rule: number;
  readonly outcome: "ask" | "refuse" | "limit";
  /** Methods and path; absent: every call that no rule before it decides about. */
  readonly calls?: string;
  readonly condition?: string;
  readonly sentence?: string;
}

/**
 * The rules of a service that hold calls back, for someone who may make them. They are about the scopes that are asked for, and about
 * the path, if it is known.
 */
export function explainRules(
  { rules, supportedScopes }: Pick<Resource, "rules" | "supportedScopes">,
  { scopes, path }: { readonly scopes: readonly string[]; readonly path?: string },
): readonly RuleDocument[] {
  return rules.flatMap((rule, index): RuleDocument[] => {
    const { scopes: named = supportedScopes } = rule;
    const isAbout = restricts(rule) && named.some((scope) => scopes.includes(scope));
    const fits = path === undefined || rule.path === undefined || matchPath(rule.path, path, false) !== "no";
    return isAbout && fits ? [ruleDocument(rule, index)] : [];
  });
}

function ruleDocument(rule: CallRule, index: number): RuleDocument {
  const { methods = [], path, when, limit, ask, refuse, say, default: otherwise } = rule;
  const calls = [methods.join(", "), path ?? ""].filter((part) => part !== "").join(" ");
  const sentence = refuse ?? say;
  const isAsked = ask !== undefined || otherwise === "ask";
  return {
    rule: index + 1,
    outcome: limit !== undefined ? "limit" : isAsked ? "ask" : "refuse",
    ...(calls !== "" && { calls }),
    ...(when !== undefined && { condition: when }),
    ...(sentence !== undefined && { sentence }),
  };
}
