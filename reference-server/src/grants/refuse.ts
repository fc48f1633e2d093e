import { recordAudit } from "../audit/record.js";
import { useUp } from "../oauth/client/use-up.js";
import { OAuthError } from "../oauth/oauth-error.js";
import type { Store } from "../store/store.js";
import type { GrantContext, Verdict } from "./grant.js";

/**
 * Records why a request about a known log-in or machine is refused, and revokes the log-in where the verdict says
 * so. Returns the error to answer with.
 */
export async function refuse(
  verdict: Extract<Verdict<never>, { kind: "refuse" | "revoke" }>,
  {
    store,
    context,
    grantType,
  }: { readonly store: Store; readonly context: GrantContext; readonly grantType: string },
): Promise<unknown> {
  const { error, concern } = verdict;
  if (concern === undefined) return error;
  const { now: at, client, requestId } = context;
  const envelope = {
    actor: { type: "client", id: client.id },
    at,
    ...(concern.userId !== undefined && { subject: concern.userId }),
    clientId: client.id,
    requestId,
  } as const;
  try {
    await store.transaction(async (transaction) => {
      if (verdict.kind === "revoke") {
        const { grantId } = verdict.concern;
        // A replayed request must not be able to end a log-in.
        await useUp(transaction, context);
        if (await transaction.grants.revoke({ id: grantId, reason: verdict.reason, at })) {
          const data = { grantId, reason: verdict.reason };
          await recordAudit(transaction, { ...envelope, type: "grant.revoked", outcome: "success", data });
        }
      }
      const data = { grantType, grantId: concern.grantId, error: error.code, reason: error.reason };
      await recordAudit(transaction, { ...envelope, type: "token.refused", outcome: "denied", data });
    });
  } catch (failure) {
    if (failure instanceof OAuthError) return failure;
    throw failure;
  }
  return error;
}
