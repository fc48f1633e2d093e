import { decide } from "../../permissions/decide.js";
import { earliestEnd, lastingRules, type Permissions } from "../../permissions/effective-scopes.js";
import {
  loadPermissions,
  type PermissionSources,
  resolvePermissions,
} from "../../permissions/load-permissions.js";
import { loginScope } from "../../store/system-scopes.js";
import { missingProof } from "../clients/proof.js";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import type { OAuthError } from "../../protocol/oauth-error.js";
import type { PermissionRecords } from "../../store/token-requests.js";
import type { Grant } from "../../store/grants.js";
import type { DecisionBasis } from "../../store/redemptions.js";
import type { Store } from "../../store/store.js";
import { invalidGrant } from "./grant.js";

/** Loads a user with everything that decides over their permissions. */
export async function loadPerson(
  userId: string,
  sources: PermissionSources & { readonly store: Pick<Store, "users"> },
): Promise<Permissions | undefined> {
  const user = await sources.store.users.find(userId);
  return user && (await loadPermissions(user, sources));
}

/** Completes the permissions that were loaded with a grant: asks the directories whose groups matter. */
export async function resolvePerson(
  person: PermissionRecords | undefined,
  sources: PermissionSources,
): Promise<Permissions | undefined> {
  return person && (await resolvePermissions(person, sources));
}

/** The person, if they may use the command-line client now; else why not. */
export function admitPerson(person: Permissions | undefined): Permissions | OAuthError {
  if (person === undefined) return invalidGrant("unknown_user");
  const [missing] = decide({ permissions: person, scopes: [loginScope] }).missing;
  if (missing === undefined) return person;
  if (missing.reason === "directory_unavailable") return directoryAway();
  return invalidGrant(missing.reason === "user_disabled" ? "user_disabled" : "login_permission_missing");
}

/** Why a grant is no longer alive, or `undefined` when it is. */
export function grantFault(grant: Grant, now: Date): string | undefined {
  if (grant.revokedAt !== null) return "grant_revoked";
  return grant.expiresAt <= now ? "grant_expired" : undefined;
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

/** When the first assignment behind these scopes ends, in epoch seconds: the latest expiry of a token. */
export function endOfBasis(person: Permissions, scopes: readonly string[]): number {
  return earliestEnd(lastingRules(person, scopes));
}

/**
 * The basis of a decision that a user has these scopes: one assignment for each, the one that lasts longest. If it is removed before
 * the answer is stored, the request is decided again, and another assignment may give the same scope.
 */
export function personBasis(
  person: Permissions,
  {
    grantId,
    resourceId = null,
    scopes,
  }: {
    readonly grantId: string | null;
    /** Of a service other than the grant's. */
    readonly resourceId?: string | null;
    readonly scopes: readonly string[];
  },
): Omit<DecisionBasis, "clientId"> {
  const assignmentIds = lastingRules(person, scopes).map(({ id }) => id);
  return { grantId, userId: person.user.id, resourceId, assignmentIds, machineScopes: [] };
}
