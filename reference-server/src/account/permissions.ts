import { peopleToAsk } from "../pages/people-to-ask.js";
import type { PermissionsSection, ScopeInWords } from "../pages/permissions-section.js";
import { grantedScopes } from "../permissions/decide.js";
import { effectiveScopes, type Permissions, undecidedScopes } from "../permissions/effective-scopes.js";
import type { AssignedPerson } from "../store/assignments.js";
import type { Store } from "../store/store.js";
import { administerScope } from "../store/system-scopes.js";

/** Nobody reads through more. */
const maximumServices = 100;

/** What a person may do now, in the words of the registry. */
export async function loadPermissionsSection(
  permissions: Permissions,
  store: Pick<Store, "resources" | "scopes">,
): Promise<PermissionsSection> {
  const held = effectiveScopes(permissions);
  const known = new Map((await store.scopes.findAll([...held])).map((scope) => [scope.key, scope]));
  const inWords = (key: string): ScopeInWords => ({ key, description: known.get(key)?.description ?? key });
  const services = (await store.resources.listEnabled())
    .filter(({ builtIn }) => !builtIn)
    .map((resource) => ({ name: resource.name, scopes: grantedScopes(permissions, resource).map(inWords) }))
    .filter(({ scopes }) => scopes.length > 0);
  const own = [...held].filter((key) => known.get(key)?.system === true).sort();
  const silent = permissions.undecided.map(({ group }) => group.provider.name);
  return {
    own: own.map(inWords),
    services: services.slice(0, maximumServices),
    moreServices: Math.max(services.length - maximumServices, 0),
    silentDirectories: [...new Set(silent)],
  };
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
