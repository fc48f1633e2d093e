import { type Decision, decide, type NamedGroup } from "../../permissions/decide.js";
import type { Permissions } from "../../permissions/effective-scopes.js";
import { findGroupsThatGrant } from "../../permissions/explain.js";
import { administerScope } from "../../store/system-scopes.js";
import type { AssignedPerson } from "../../store/assignments.js";
import type { Resource } from "../../store/resources.js";
import type { Store } from "../../store/store.js";

/** Enough to have somebody to ask, too few to read the company's structure from it. */
const mostNames = 3;

/** Why somebody may or may not do something, as that person may read it. */
export interface OwnExplanation {
  readonly resource: Resource;
  readonly decision: Decision;
  readonly missing: readonly (Decision["missing"][number] & { readonly groups: readonly NamedGroup[] })[];
  /** Whom to ask; empty when nothing is missing. */
  readonly administrators: {
    readonly people: readonly AssignedPerson[];
    readonly groups: readonly NamedGroup[];
  };
}

/**
 * Explains a person's own permissions at a resource: the rule behind each, or what would grant it and who can give it.
 *
 * Without scopes all of the resource are explained. A resource that is switched off is not there, as in the person's list.
 */
export async function explainOwn(
  question: {
    readonly permissions: Permissions;
    readonly resource: string;
    readonly scopes: readonly string[];
  },
  store: Pick<Store, "assignments" | "resources">,
): Promise<OwnExplanation | undefined> {
  const { permissions } = question;
  const resource = await store.resources.findByKey(question.resource);
  if (resource === undefined || !resource.enabled) return undefined;
  const scopes = question.scopes.length > 0 ? question.scopes : resource.supportedScopes;
  const decision = decide({ permissions, resource, scopes });
  const missing = await Promise.all(
    decision.missing.map(async (scope) => ({
      ...scope,
      groups: await findGroupsThatGrant(scope, store, mostNames),
    })),
  );
  const administrators = decision.allowed ? { people: [], groups: [] } : await findAdministrators(store);
  return { resource, decision, missing, administrators };
}

async function findAdministrators(
  store: Pick<Store, "assignments">,
): Promise<OwnExplanation["administrators"]> {
  const [people, groups] = await Promise.all([
    store.assignments.listPeopleByScope(administerScope, mostNames),
    store.assignments.listGroupsByScope(administerScope, mostNames),
  ]);
  return { people, groups: groups.map(({ group }) => group) };
}
