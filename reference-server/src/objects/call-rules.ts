import { z } from "zod";
import { type CallRule, limitPeriods, readApprover, ruleMethods } from "../rules/call-rule.js";
import { findConditionFault, maximumConditionLength } from "../rules/condition.js";
import { isPathTemplate } from "../rules/match-path.js";
import { addFaults, issue, type RuleFault } from "./check.js";
import { scopeKey } from "./fields.js";

/** One line that people read. */
const sentence = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .refine((value) => !/\p{Cc}/u.test(value), issue("noControls"));

const callRule = z
  .strictObject({
    methods: z.array(z.enum(ruleMethods)).min(1).max(ruleMethods.length).exactOptional(),
    path: z.string().max(500).refine(isPathTemplate, issue("rulePath")).exactOptional(),
    when: z.string().trim().min(1).max(maximumConditionLength).exactOptional(),
    scopes: z.array(scopeKey).min(1).max(500).exactOptional(),
    allow: z.literal(true).exactOptional(),
    ask: z
      .string()
      .max(400)
      .refine((value) => readApprover(value) !== undefined, issue("ruleApprover"))
      .exactOptional(),
    refuse: sentence.exactOptional(),
    limit: z
      .strictObject({ calls: z.int().min(1).max(1_000_000), per: z.enum(limitPeriods) })
      .exactOptional(),
    beyond: z.enum(["ask", "refuse"]).exactOptional(),
    say: sentence.exactOptional(),
    default: z.enum(["allow", "ask", "refuse"]).exactOptional(),
  })
  .superRefine((rule, context) => addFaults(context, findRuleFaults(rule)));

/** The ordered list of rules for calls of agents; empty: every call is allowed that the person may make. */
export const callRules = z
  .array(callRule)
  .max(50)
  .superRefine((rules, context) => addFaults(context, findListFaults(rules)));

/** What is wrong with a rule by itself. */
function findRuleFaults(rule: CallRule): readonly RuleFault[] {
  const fault = rule.when === undefined ? undefined : findConditionFault(rule.when);
  const inCondition: readonly RuleFault[] =
    fault === undefined ? [] : [{ path: ["when"], code: fault.code, values: conditionValues(fault) }];
  return [...inCondition, ...(rule.default === undefined ? findActionFaults(rule) : findDefaultFaults(rule))];
}

function conditionValues({ code: _code, ...values }: NonNullable<ReturnType<typeof findConditionFault>>) {
  return values;
}

/** Exactly one of `allow`, `ask`, `refuse` and `limit`; a limit has another one for calls beyond it. */
function findActionFaults({ allow, ask, refuse, limit, beyond }: CallRule): readonly RuleFault[] {
  if (limit === undefined) {
    const actions = [allow, ask, refuse].filter((action) => action !== undefined);
    if (beyond !== undefined) return [{ path: ["beyond"], code: "ruleBeyondAlone" }];
    return actions.length === 1 ? [] : [{ path: [], code: "ruleAction" }];
  }
  if (beyond === undefined) return [{ path: ["beyond"], code: "missing" }];
  if (allow !== undefined) return [{ path: ["allow"], code: "ruleAction" }];
  if (ask !== undefined && beyond !== "ask")
    return [{ path: ["ask"], code: "ruleBeyond", values: { beyond } }];
  if (refuse !== undefined && beyond !== "refuse") {
    return [{ path: ["refuse"], code: "ruleBeyond", values: { beyond } }];
  }
  return [];
}

function findDefaultFaults(rule: CallRule): readonly RuleFault[] {
  const others = Object.entries(rule).filter(
    ([name, value]) => name !== "default" && name !== "scopes" && value !== undefined,
  );
  return others.map(([name]) => ({ path: [name], code: "ruleDefaultAlone" }));
}

/** An explicit default at the end, and nowhere else. */
function findListFaults(rules: readonly CallRule[]): readonly RuleFault[] {
  if (rules.length === 0) return [];
  const early = rules
    .slice(0, -1)
    .flatMap(({ default: otherwise }, index): RuleFault[] =>
      otherwise === undefined ? [] : [{ path: [index, "default"], code: "ruleDefaultEarly" }],
    );
  const last = rules.length - 1;
  return rules[last]?.default === undefined
    ? [...early, { path: [last], code: "ruleDefaultMissing" }]
    : early;
}
