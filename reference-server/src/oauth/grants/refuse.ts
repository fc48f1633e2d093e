import { withdrawApprovals } from "../../lifecycle/approval-events.js";
import { recordAudit } from "../../audit/record.js";
import type { RefusalRecord } from "../../audit/refusals.js";
import { useUp } from "../clients/proof.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { type Parameters, parseScope } from "../../protocol/parameters.js";
import type { Store } from "../../store/store.js";
import type { GrantContext, Verdict } from "./grant.js";

/**
 * Records why a request about a known grant or machine is refused, within the limits of such records, and revokes the grant if the verdict
 * is `revoke`. Returns the error to answer with.
 */
export async function refuse(
  verdict: Extract<Verdict<never>, { kind: "refuse" | "revoke" }>,
  {
    store,
    refusals,
    context,
    grantType,
    parameters,
  }: {
    readonly store: Store;
    readonly refusals: RefusalRecord;
    readonly context: GrantContext;
    readonly grantType: string;
    readonly parameters: Parameters;
  },
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
  const refusal = {
    ...envelope,
    type: "token.refused",
    outcome: error.code === "temporarily_unavailable" ? "failed" : "denied",
    data: {
      grantType,
      grantId: concern.grantId,
      error: error.code,
      reason: error.reason,
      ...wantedBy(parameters),
    },
  } as const;
  const isRecorded = await refusals.admit(refusal);
  if (verdict.kind === "refuse" && !isRecorded) return error;
  try {
    await store.transaction(async (transaction) => {
      if (verdict.kind === "revoke") {
        const { grantId } = verdict.concern;
        // A replayed request must not be able to end a grant.
        await useUp(transaction, context);
        if (await transaction.grants.revoke({ id: grantId, reason: verdict.reason, at })) {
          await withdrawApprovals([grantId], { store: transaction, actor: envelope.actor, at, requestId });
          const data = { grantId, reason: verdict.reason };
          await recordAudit(transaction, { ...envelope, type: "grant.revoked", outcome: "success", data });
        }
      }
      if (isRecorded) await recordAudit(transaction, refusal);
    });
  } catch (failure) {
    if (failure instanceof OAuthError) return failure;
    throw failure;
  }
  return error;
}

/** Maximum length of a recorded resource, so that unregistered ones cannot fill the audit trail. */
const maximumResource = 500;
const maximumScopes = 50;

/** What the request asked for, so that an administrator can see why it was refused. */
function wantedBy(parameters: Parameters): {
  readonly resource?: string;
  readonly scopes?: readonly string[];
} {
  const resource = parameters.get("resource");
  const scopes = parseScope(parameters.get("scope") ?? "");
  return {
    ...(resource !== undefined && resource.length <= maximumResource && { resource }),
    ...(scopes !== undefined && scopes.length > 0 && { scopes: scopes.slice(0, maximumScopes) }),
  };
}
