import type { Caller } from "../oauth/tokens/identify-caller.js";
import { type Decision, decide, type NamedGroup } from "../permissions/decide.js";
import { findGroupsThatGrant } from "../permissions/explain.js";
import type { AssignedPerson } from "../store/assignments.js";
import type { Resource } from "../store/resources.js";
import type { Store } from "../store/store.js";
import { administerScope } from "../store/system-scopes.js";
import { explainRules } from "./explain-rules.js";
import { requestMembers } from "./access-requests/documents.js";

/** Enough to find an administrator, too few to learn the structure of the company. */
const maximumNames = 3;

/**
 * Explains a person's own permissions at an enabled service: the rule behind each, or what would grant it, who can give it, and whether
 * access can be requested. It has no ids of rules, and names only people who can change them.
 *
 * @param question.scopes - empty: all of the service
 */
export async function explainOwn(
  question: {
    readonly caller: Pick<Caller, "user" | "client" | "permissions">;
    readonly resource: Resource;
    readonly scopes: readonly string[];
    /** Of the call, if it is known: rules about other paths are left out. */
    readonly path?: string;
  },
  store: Pick<Store, "accessRequests" | "assignments">,
) {
  const { caller, resource } = question;
  const scopes = question.scopes.length > 0 ? question.scopes : resource.supportedScopes;
  const decision = decide({ permissions: caller.permissions, resource, scopes });
  const { path } = question;
  const rules = explainRules(resource, { scopes, ...(path !== undefined && { path }) });
  const target = { kind: "service", target: resource.key } as const;
  return {
    resource: { key: resource.key, name: resource.name },
    allowed: decision.allowed,
    granted: decision.granted.map(({ scope, by }) => ({ scope, by: by.map(ruleDocument) })),
    missing: await Promise.all(decision.missing.map((missing) => missingDocument(missing, store))),
    administrators: decision.allowed ? { people: [], groups: [] } : await findAdministrators(store),
    ...(rules.length > 0 && { rules }),
    ...(await requestMembers(caller, { target, decision }, store)),
  };
}

async function missingDocument(missing: Decision["missing"][number], store: Pick<Store, "assignments">) {
  const { scope, reason, wouldBeGrantedBy } = missing;
  const groups = await findGroupsThatGrant(missing, store, maximumNames);
  return {
    scope,
    reason,
    wouldBeGrantedBy: [
      ...(wouldBeGrantedBy === undefined ? [] : [ruleDocument(wouldBeGrantedBy)]),
      ...groups.map((group) => ruleDocument({ type: "group", group })),
    ],
  };
}

type Rule = { readonly until?: string } & (
  | { readonly type: "email"; readonly email: string }
  | { readonly type: "group"; readonly group: NamedGroup }
);

function ruleDocument(rule: Rule) {
  const ends = rule.until !== undefined && { until: rule.until };
  if (rule.type === "email") return { type: rule.type, email: rule.email, ...ends };
  const { key, provider } = rule.group;
  return { type: rule.type, group: key, provider: provider.name, ...ends };
}

async function findAdministrators({ assignments }: Pick<Store, "assignments">): Promise<{
  readonly people: readonly AssignedPerson[];
  readonly groups: readonly { readonly group: string; readonly provider: string }[];
}> {
  const [people, groups] = await Promise.all([
    assignments.listPeopleByScope(administerScope, maximumNames),
    assignments.listGroupsByScope(administerScope, maximumNames),
  ]);
  return {
    people: people.map(({ email, name }) => ({ email, name })),
    groups: groups.map(({ group: { key, provider } }) => ({ group: key, provider: provider.name })),
  };
}
