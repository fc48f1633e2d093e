import type { Assignment, GroupAssignment } from "../store/assignments.js";
import type { User } from "../store/users.js";

/** Everything that decides what a person may do, as it was at one moment. */
export interface Permissions {
  readonly user: User;
  /** Those that apply: to the address, and to groups that the person is in. */
  readonly assignments: readonly Assignment[];
  /** Of directories that are away: for each scope some groups that have it. They grant nothing. */
  readonly undecided: readonly GroupAssignment[];
  /** When an issuance asks the provider whether the person is still there, in epoch seconds; absent or `null`: none does. */
  readonly presenceDueAt?: number | null;
}

/** Whether an assignment is to an email address. */
export function isEmailAssignment(
  assignment: Assignment,
): assignment is Exclude<Assignment, GroupAssignment> {
  return "email" in assignment;
}

/** The assignments that apply: never one of another address, and none for a disabled user. */
export function effectiveAssignments({ user, assignments }: Permissions): readonly Assignment[] {
  if (!user.enabled || user.email === null) return [];
  return assignments.filter(
    (assignment) => !isEmailAssignment(assignment) || assignment.email === user.email,
  );
}

/** For each of these scopes that the person has, the rule that ends last. */
export function lastingRules(permissions: Permissions, scopes: readonly string[]): readonly Assignment[] {
  const rules = effectiveAssignments(permissions);
  return [...new Set(scopes)].flatMap((scope) => {
    const [first, ...others] = rules.filter((rule) => rule.scope === scope);
    if (first === undefined) return [];
    return [others.reduce((best, rule) => (endOf(rule) > endOf(best) ? rule : best), first)];
  });
}

/** When the first of these rules ends, in epoch seconds; `Infinity` when none does. */
export function earliestEnd(rules: readonly Assignment[]): number {
  return Math.min(...rules.map(endOf));
}

function endOf({ expiresAt }: Assignment): number {
  return expiresAt ?? Infinity;
}

/** The union of the scopes of every assignment that applies; empty for a disabled user. */
export function effectiveScopes(permissions: Permissions): ReadonlySet<string> {
  return new Set(effectiveAssignments(permissions).map(({ scope }) => scope));
}

/** Scopes that only a directory that is away may give, and that the person does not have otherwise. */
export function undecidedScopes(permissions: Permissions): ReadonlySet<string> {
  const { user, undecided } = permissions;
  if (!user.enabled || user.email === null) return new Set();
  const held = effectiveScopes(permissions);
  return new Set(undecided.map(({ scope }) => scope).filter((scope) => !held.has(scope)));
}
