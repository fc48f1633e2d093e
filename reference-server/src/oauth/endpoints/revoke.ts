import { withdrawApprovals } from "../../lifecycle/approval-events.js";
import { recordAudit } from "../../audit/record.js";
import type { Keys } from "../keys/keys.js";
import type { Grant } from "../../store/grants.js";
import type { Store } from "../../store/store.js";
import { OwnTokenError, verifyIssuedAccessToken } from "../tokens/verify-own-token.js";
import type { AuthenticatedClient } from "../clients/authenticate.js";
import { useUp } from "../clients/proof.js";
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
 * Ends the grant that a refresh or access token belongs to: an access token for this server or any service, and a refresh token
 * that was rotated long ago as well.
 *
 * An unknown token is no error (RFC 7009 §2.2).
 *
 * @throws {OAuthError} `invalid_grant`: the token belongs to another client. `unsupported_token_type`: it has no grant that could end.
 * `invalid_client`: the assertion was used before.
 */
export async function revokeToken(
  token: string,
  { client, assertionUse }: AuthenticatedClient,
  dependencies: RevocationDependencies,
): Promise<void> {
  const { store, now: at, requestId } = dependencies;
  const shown = await identifyToken(token, dependencies);
  if (shown === undefined) return await useUp(store, { proof: undefined, assertionUse });
  if (shown.clientId !== client.id) {
    throw new OAuthError("invalid_grant", "foreign_client", "The token was not issued to this client.");
  }
  const { grant } = shown;
  if (grant === undefined) throw notRevocable();
  await store.transaction(async (transaction) => {
    await useUp(transaction, { proof: undefined, assertionUse });
    const reason = "revoked_by_client";
    if (!(await transaction.grants.revoke({ id: grant.id, reason, at }))) return;
    const actor = { type: "client", id: client.id } as const;
    await withdrawApprovals([grant.id], { store: transaction, actor, at, requestId });
    await recordAudit(transaction, {
      type: "grant.revoked",
      outcome: "success",
      actor,
      at,
      subject: grant.userId,
      clientId: client.id,
      requestId,
      data: { grantId: grant.id, reason },
    });
  });
}

/** Finds the client and the grant of a token. `token_type_hint` is not needed: the two kinds cannot be confused. */
async function identifyToken(
  token: string,
  { store, keys, issuer, now }: RevocationDependencies,
): Promise<{ readonly clientId: string; readonly grant: Grant | undefined } | undefined> {
  const grant = await store.grants.findByRefreshToken(hashSecret(token));
  if (grant !== undefined) return { clientId: grant.clientId, grant };
  try {
    const { clientId, grantId } = verifyIssuedAccessToken(token, { keys, issuer, now });
    if (grantId === undefined) return { clientId, grant: undefined };
    const found = await store.grants.find(grantId);
    return found && { clientId, grant: found };
  } catch (error) {
    if (error instanceof OwnTokenError) return undefined;
    throw error;
  }
}

/** Status 200 would mean that the token has ended (RFC 7009 §2.2.1). */
function notRevocable(): OAuthError {
  const message =
    "This access token rests on no sign-in that could be ended. It ends by itself within minutes.";
  return new OAuthError("unsupported_token_type", "no_grant", message);
}
