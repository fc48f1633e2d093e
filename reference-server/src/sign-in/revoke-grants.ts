import { recordAllAudits } from "../audit/record.js";
import type { RevocationReason } from "../store/grants.js";
import type { Revoking } from "./revoke-sessions.js";

/** Which grants end: all of a person, or these, whoever they belong to. */
export type GrantRevocation = { readonly userId: string } | { readonly ids: readonly string[] };

/** Ends grants with all their tokens and what was remembered of their consent, and returns how many were live. */
export async function revokeGrants(
  revocation: GrantRevocation & { readonly reason: RevocationReason },
  { store, actor, at, requestId }: Revoking,
): Promise<number> {
  const { reason } = revocation;
  return await store.transaction(async (tx) => {
    const ended =
      "userId" in revocation
        ? await tx.grants.revokeAll({ userId: revocation.userId, reason, at })
        : await tx.grants.revokeMany({ ids: revocation.ids, reason, at });
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
    return ended.length;
  });
}
