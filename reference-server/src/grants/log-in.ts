import { decide } from "../policy/decide.js";
import { loadPermissions, type Permissions } from "../policy/effective-scopes.js";
import { loginScope } from "../policy/system-scopes.js";
import type { Grant } from "../store/grants.js";
import type { Store } from "../store/store.js";

/** Loads a person with what decides over their permissions. */
export async function loadPerson(store: Store, userId: string): Promise<Permissions | undefined> {
  const user = await store.users.find(userId);
  return user && (await loadPermissions(store, user));
}

/** Why a person may not use the command-line client now, or `undefined` when they may. */
export function personFault(person: Permissions | undefined): string | undefined {
  if (person === undefined) return "unknown_user";
  const { missing } = decide({ permissions: person, scopes: [loginScope] });
  if (missing[0] === undefined) return undefined;
  return missing[0].reason === "user_disabled" ? "user_disabled" : "login_permission_missing";
}

/** Why a log-in is no longer alive, or `undefined` when it is. */
export function grantFault(grant: Grant, now: Date): string | undefined {
  if (grant.revokedAt !== null) return "log_in_revoked";
  return grant.expiresAt <= now ? "log_in_expired" : undefined;
}
