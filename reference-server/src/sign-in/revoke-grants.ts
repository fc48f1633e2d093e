import { recordAllAudits } from "../audit/record.js";
import type { RevocationReason } from "../store/grants.js";
import type { Store } from "../store/store.js";
import type { Revoking } from "./revoke-sessions.js";

/** Which grants end: all of a person, all of a client, or these, whoever they belong to. */
export type GrantRevocation =
  | { readonly userId: string }
  | { readonly clientId: string }
  | { readonly ids: readonly string[] };

/** How many grants have ended, and of how many people. */
export interface EndedGrants {
  readonly grants: number;
  readonly people: number;
}

/**
 * Ends grants with all their tokens and what was remembered of their consent, and says how many were live. All of a person or of a
 * client are also those that were allowed and have not begun: nobody sees them, and a device that was let in by mistake may wait.
 */
export async function revokeGrants(
  revocation: GrantRevocation & { readonly reason: RevocationReason },
  { store, actor, at, requestId }: Revoking,
): Promise<EndedGrants> {
  const { reason } = revocation;
  return await store.transaction(async (tx) => {
    // First: what is redeemed at this moment is a grant by the time that they end.
    if (!("ids" in revocation)) await endUnused(tx, revocation);
    const ended = await end(tx, { ...revocation, at });
    await tx.consents.forgetOf(ended.map(({ id }) => id));
    const request = requestId === undefined ? {} : { requestId };
    await recordAllAudits(
      tx,
      ended.map(({ id, userId, clientId }) => ({
        type: "grant.revoked",
        outcome: "success",
        actor,
        at,
        subject: userId,
        clientId,
        ...request,
        data: { grantId: id, reason },
      })),
    );
    return { grants: ended.length, people: new Set(ended.map(({ userId }) => userId)).size };
  });
}

async function endUnused(
  { authorizationCodes, deviceAuthorizations }: Store,
  whose: { readonly userId: string } | { readonly clientId: string },
): Promise<void> {
  await authorizationCodes.endUnused(whose);
  await deviceAuthorizations.denyUnused(whose);
}

async function end(
  { grants }: Pick<Store, "grants">,
  revocation: GrantRevocation & { readonly reason: RevocationReason; readonly at: Date },
) {
  if ("userId" in revocation) return await grants.revokeAll(revocation);
  if ("clientId" in revocation) return await grants.revokeOfClient(revocation);
  return await grants.revokeMany(revocation);
}
