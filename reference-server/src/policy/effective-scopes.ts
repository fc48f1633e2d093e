import type { Assignment } from "../store/assignments.js";
import type { Store } from "../store/store.js";
import type { User } from "../store/users.js";

/** Everything that decides what a person may do, as it was at one moment. */
export interface Permissions {
  readonly user: User;
  readonly assignments: readonly Assignment[];
}

/**
 * Loads what decides over a person's permissions.
 *
 * Call it at every issuance: a permission that is taken away ends with the next token.
 */
export async function loadPermissions(store: Pick<Store, "assignments">, user: User): Promise<Permissions> {
  const assignments = user.email === null ? [] : await store.assignments.listByEmail(user.email);
  return { user, assignments };
}

/** The union of the scopes of every assignment that applies; empty for a disabled user. */
export function effectiveScopes({ user, assignments }: Permissions): ReadonlySet<string> {
  if (!user.enabled || user.email === null) return new Set();
  const own = assignments.filter(({ email }) => email === user.email);
  return new Set(own.map(({ scope }) => scope));
}
