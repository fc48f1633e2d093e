import { isDeepStrictEqual } from "node:util";
import { type CallRule, readApprover } from "../rules/call-rule.js";
import type { Store } from "../store/store.js";
import { type FieldFault, fault } from "../objects/check.js";
import { requireNone } from "./refusal.js";
import type { RegistryChange } from "./work.js";

/**
 * Checks what the rules of a service or a connector name.
 *
 * @param supportedScopes - of the service; a connector has none of its own
 * @throws {Refusal} `invalid_request`: a group provider does not exist, or a scope is not one of the service.
 */
export async function requireKnownInRules(
  rules: readonly CallRule[],
  supportedScopes: readonly string[],
  store: Pick<Store, "groupProviders">,
): Promise<void> {
  const faults: FieldFault[] = [];
  for (const [index, { ask, scopes = [] }] of rules.entries()) {
    const approver = readApprover(ask ?? "self") ?? "self";
    if (approver !== "self" && (await store.groupProviders.findByKey(approver.provider)) === undefined) {
      faults.push(fault(`rules.${String(index)}.ask`, "ruleProvider", { provider: approver.provider }));
    }
    for (const scope of scopes.filter((named) => !supportedScopes.includes(named))) {
      faults.push(fault(`rules.${String(index)}.scopes`, "ruleScope", { scope }));
    }
  }
  requireNone(faults);
}

/** The audited change of a list of rules; nothing when they are the same. */
export function rulesChange(
  owner: { readonly resource: string } | { readonly connector: string },
  before: readonly CallRule[],
  after: readonly CallRule[],
): readonly RegistryChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  const missingIn = (list: readonly CallRule[]) => (rule: CallRule) =>
    !list.some((other) => isDeepStrictEqual(other, rule));
  const added = after.filter(missingIn(before)).length;
  const removed = before.filter(missingIn(after)).length;
  return [{ type: "rules.changed", data: { ...owner, rules: after.length, added, removed } }];
}
