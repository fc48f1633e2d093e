import { isRequestable } from "../access-requests/ask.js";
import { peopleToAsk } from "../pages/fragments.js";
import type { HeldPermission, HeldService, PermissionsSection } from "../pages/permissions-section.js";
import { type Decision, decide, type GrantedScope } from "../permissions/decide.js";
import { effectiveScopes, type Permissions, undecidedScopes } from "../permissions/effective-scopes.js";
import type { AssignedPerson } from "../store/assignments.js";
import type { Store } from "../store/store.js";
import { administerScope } from "../store/system-scopes.js";
import { lastEnd } from "./access/load-access.js";

/** Nobody reads through more. */
const maximumServices = 100;

/** What a person may do now, in the words of the registry, and where they can ask for more. */
export async function loadPermissionsSection(
  permissions: Permissions,
  store: Pick<Store, "resources" | "scopes">,
): Promise<PermissionsSection> {
  const held = effectiveScopes(permissions);
  const known = new Map((await store.scopes.findAll([...held])).map((scope) => [scope.key, scope]));
  const inWords = ({ scope: key, by }: GrantedScope): HeldPermission => {
    const until = lastEnd(by);
    return { key, description: known.get(key)?.description ?? key, ...(until && { until }) };
  };
  const places = (await store.resources.listEnabled())
    .filter(({ builtIn }) => !builtIn)
    .map((resource) => {
      const decision = decide({ permissions, resource, scopes: resource.supportedScopes });
      return { key: resource.key, name: resource.name, decision };
    });
  const services: readonly HeldService[] = places
    .filter(({ decision }) => decision.granted.length > 0)
    .map(({ key, name, decision }) => ({
      key,
      name,
      scopes: decision.granted.map(inWords),
      lacks: isAskable(decision),
    }));
  const others = places.filter(({ decision }) => decision.granted.length === 0 && isAskable(decision));
  const own = [...held].filter((key) => known.get(key)?.system === true).sort();
  const silent = permissions.undecided.map(({ group }) => group.provider.name);
  return {
    own: decide({ permissions, scopes: own }).granted.map(inWords),
    services: services.slice(0, maximumServices),
    moreServices: Math.max(services.length - maximumServices, 0),
    others: others.slice(0, maximumServices).map(({ key, name }) => ({ key, name })),
    silentDirectories: [...new Set(silent)],
  };
}

function isAskable({ missing }: Pick<Decision, "missing">): boolean {
  return missing.some(isRequestable);
}

/** Administrators who can give a permission that a page needs; `undefined` when it is there, or may be. */
export async function loadPeopleToAsk(
  scope: string,
  permissions: Permissions,
  { assignments }: Pick<Store, "assignments">,
): Promise<readonly AssignedPerson[] | undefined> {
  const held = effectiveScopes(permissions).has(scope) || undecidedScopes(permissions).has(scope);
  return held ? undefined : await assignments.listPeopleByScope(administerScope, peopleToAsk);
}
