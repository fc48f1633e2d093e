import { recordAudit } from "../../audit/record.js";
import type { Keys } from "../keys/keys.js";
import type { Grant } from "../../store/grants.js";
import type { Store } from "../../store/store.js";
import { OwnTokenError, verifyOwnAccessToken } from "../tokens/verify-own-token.js";
import type { AuthenticatedClient } from "../clients/authenticate.js";
import { useUp } from "../clients/use-up.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { hashSecret } from "../../protocol/secrets.js";

export interface RevocationDependencies {
  readonly store: Store;
  readonly keys: Keys;
  readonly issuer: string;
  readonly now: Date;
  readonly requestId: string;
}

/**
 * Ends the grant that a refresh or access token belongs to, also when the refresh token was rotated long ago.
 *
 * A token that nobody knows is as good as revoked, so it is no error (RFC 7009 §2.2).
 *
 * @throws {OAuthError} `invalid_grant`: the token belongs to another client. `invalid_client`: the assertion was used before.
 */
export async function revokeToken(
  token: string,
  { client, assertionUse }: AuthenticatedClient,
  dependencies: RevocationDependencies,
): Promise<void> {
  const { store, now: at, requestId } = dependencies;
  const grant = await findGrant(token, dependencies);
  if (grant === undefined) return await useUp(store, { proof: undefined, assertionUse });
  if (grant.clientId !== client.id) {
    throw new OAuthError("invalid_grant", "foreign_client", "The token was not issued to this client.");
  }
  await store.transaction(async (transaction) => {
    await useUp(transaction, { proof: undefined, assertionUse });
    const reason = "revoked_by_client";
    if (!(await transaction.grants.revoke({ id: grant.id, reason, at }))) return;
    await recordAudit(transaction, {
      type: "grant.revoked",
      outcome: "success",
      actor: { type: "client", id: client.id },
      at,
      subject: grant.userId,
      clientId: client.id,
      requestId,
      data: { grantId: grant.id, reason },
    });
  });
}

/** `token_type_hint` is not needed: the two kinds cannot be confused. */
async function findGrant(
  token: string,
  { store, keys, issuer, now }: RevocationDependencies,
): Promise<Grant | undefined> {
  const grant = await store.grants.findByRefreshToken(hashSecret(token));
  if (grant !== undefined) return grant;
  try {
    return await store.grants.find(verifyOwnAccessToken(token, { keys, issuer, now }).grantId);
  } catch (error) {
    if (error instanceof OwnTokenError) return undefined;
    throw error;
  }
}
