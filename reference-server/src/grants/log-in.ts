import { decide } from "../policy/decide.js";
import type { GroupDirectories } from "../groups/directories.js";
import type { PermissionRecords, Permissions } from "../policy/effective-scopes.js";
import { loadPermissions, resolvePermissions } from "../policy/load-permissions.js";
import { loginScope } from "../policy/system-scopes.js";
import { missingProof } from "../oauth/client/proof.js";
import type { OAuthError } from "../oauth/oauth-error.js";
import type { ClientType } from "../store/clients.js";
import type { Grant } from "../store/grants.js";
import type { DecisionBasis } from "../store/redemptions.js";
import type { Store } from "../store/store.js";
import { invalidGrant } from "./invalid-grant.js";

/** The clients that act for people. */
export const personalClients: readonly ClientType[] = ["public", "confidential"];

/** Loads a person with what decides over their permissions. */
export async function loadPerson(
  userId: string,
  sources: { readonly store: Store; readonly directories: GroupDirectories },
): Promise<Permissions | undefined> {
  const user = await sources.store.users.find(userId);
  return user && (await loadPermissions(user, sources));
}

/** Completes what was loaded together with a log-in: asks the directories whose groups matter. */
export async function resolvePerson(
  person: PermissionRecords | undefined,
  { directories }: { readonly directories: GroupDirectories },
): Promise<Permissions | undefined> {
  return person && (await resolvePermissions(person, directories));
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

/** Why a request may not use what is bound to a key, or `undefined` when it may. */
export function keyFault(
  boundTo: string | null,
  proof: { readonly thumbprint: string } | undefined,
): OAuthError | undefined {
  if (boundTo === null) return undefined;
  if (proof === undefined) return missingProof();
  return proof.thumbprint === boundTo ? undefined : invalidGrant("wrong_key");
}

/** What a decision over somebody's log-in rests on. */
export function personBasis(person: Permissions, grantId: string | null): Omit<DecisionBasis, "clientId"> {
  const assignmentIds = person.assignments.map(({ id }) => id);
  return { grantId, userId: person.user.id, assignmentIds, machineScopes: [] };
}
