import type { GroupDirectories } from "../groups/directories.js";
import type { Assignment, GroupAssignment } from "../store/assignments.js";
import type { Store } from "../store/store.js";
import type { User } from "../store/users.js";
import { isEmailAssignment, type PermissionRecords, type Permissions } from "./effective-scopes.js";

/** What permissions are loaded from. */
export interface PermissionSources {
  readonly store: Pick<Store, "assignments">;
  readonly directories: GroupDirectories;
}

/**
 * Loads what decides over a person's permissions.
 *
 * Call it at every issuance: a permission that is taken away ends with the next token.
 */
export async function loadPermissions(user: User, sources: PermissionSources): Promise<Permissions> {
  const records = await sources.store.assignments.listFor({ userId: user.id, email: user.email });
  return await resolvePermissions({ user, records }, sources.directories);
}

/**
 * Asks the directories whose groups matter, and keeps the assignments that apply.
 *
 * A directory that cannot say takes away what its own groups give, and nothing else.
 */
export async function resolvePermissions(
  { user, records }: PermissionRecords,
  directories: GroupDirectories,
): Promise<Permissions> {
  const open = records.filter(needsDirectory);
  if (open.length === 0) return { user, assignments: records, undecided: [] };
  const settled = records.filter((record) => !needsDirectory(record));
  const { email } = user;
  if (email === null || !user.enabled) return { user, assignments: settled, undecided: [] };

  const ids = [...new Set(open.map(({ group }) => group.provider.id))];
  const answers = new Map(
    await Promise.all(ids.map(async (id) => [id, await directories.groupsOf(id, email)] as const)),
  );
  const applying = open.filter(({ group }) => answers.get(group.provider.id)?.has(group.key));
  const undecided = open.filter(({ group }) => answers.get(group.provider.id) === undefined);
  return { user, assignments: [...settled, ...applying], undecided };
}

function needsDirectory(assignment: Assignment): assignment is GroupAssignment {
  return !isEmailAssignment(assignment) && assignment.group.provider.type === "directory";
}
