import type { GroupDirectories } from "./groups/directories.js";
import type { Store } from "../store/store.js";
import type { User } from "../store/users.js";
import type { PermissionRecords } from "../store/token-requests.js";
import type { Permissions } from "./effective-scopes.js";

/** The sources of permissions. */
export interface PermissionSources {
  readonly store: Pick<Store, "assignments">;
  readonly directories: GroupDirectories;
}

/** Groups that are named for a scope whose directory is away. */
const groupsPerScope = 5;

/**
 * Loads a person's permissions.
 *
 * Call it at every issuance: a permission that is taken away ends with the next token.
 */
export async function loadPermissions(user: User, sources: PermissionSources): Promise<Permissions> {
  const rules = await sources.store.assignments.listFor({ userId: user.id, email: user.email });
  return await resolvePermissions({ user, ...rules }, sources);
}

/**
 * Asks the directories whose groups matter, and adds the rules of the groups that the person is in. The rules of other groups are not
 * loaded.
 *
 * A directory that is away takes away what its own groups give, and nothing else. So does a claim with too many groups.
 */
export async function resolvePermissions(
  { user, rules, directories: ids, unavailable, presenceDueAt }: PermissionRecords,
  { store, directories }: PermissionSources,
): Promise<Permissions> {
  const { email } = user;
  const isDecided = ids.length === 0 && unavailable.length === 0;
  if (isDecided || email === null || !user.enabled)
    return { user, assignments: rules, undecided: [], presenceDueAt };
  const answers = await Promise.all(
    ids.map(async (providerId) => ({ providerId, groups: await directories.groupsOf(providerId, email) })),
  );
  const memberships = answers.flatMap(({ providerId, groups }) =>
    groups === undefined || groups.size === 0 ? [] : [{ providerId, keys: [...groups] }],
  );
  const away = answers.flatMap(({ providerId, groups }) => (groups === undefined ? [providerId] : []));
  const silent = [...away, ...unavailable];
  const [given, undecided] = await Promise.all([
    memberships.length === 0 ? [] : store.assignments.listOfGroups(memberships),
    silent.length === 0 ? [] : store.assignments.sampleByScope(silent, groupsPerScope),
  ]);
  return { user, assignments: [...rules, ...given], undecided, presenceDueAt };
}
