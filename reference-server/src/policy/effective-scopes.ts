import type { Assignment, GroupAssignment } from "../store/assignments.js";
import type { User } from "../store/users.js";

/** What the database says about a person's permissions. Directories have to be asked still: `resolvePermissions`. */
export interface PermissionRecords {
  readonly user: User;
  /** Every assignment that can apply; those to groups of directories whether the person is in the group or not. */
  readonly records: readonly Assignment[];
}

/** Everything that decides what a person may do, as it was at one moment. */
export interface Permissions {
  readonly user: User;
  /** Those that apply: to the address, and to groups that the person is in. */
  readonly assignments: readonly Assignment[];
  /** Those to groups of a directory that cannot say now who is in them. They grant nothing. */
  readonly undecided: readonly GroupAssignment[];
}

/** Whether an assignment is to an e-mail address. */
export function isEmailAssignment(
  assignment: Assignment,
): assignment is Exclude<Assignment, GroupAssignment> {
  return "email" in assignment;
}

/** The assignments that give the person something: never one of another address, nothing to a disabled user. */
export function effectiveAssignments({ user, assignments }: Permissions): readonly Assignment[] {
  if (!user.enabled || user.email === null) return [];
  return assignments.filter(
    (assignment) => !isEmailAssignment(assignment) || assignment.email === user.email,
  );
}

/** The union of the scopes of every assignment that applies; empty for a disabled user. */
export function effectiveScopes(permissions: Permissions): ReadonlySet<string> {
  return new Set(effectiveAssignments(permissions).map(({ scope }) => scope));
}
