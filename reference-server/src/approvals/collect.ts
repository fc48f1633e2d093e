import { randomUUID } from "node:crypto";
import { type AuthorizationDetail, grantDetail } from "@authz/dpop/approval";
import { toAuditRow } from "../audit/record.js";
import { endOfBasis, personBasis } from "../oauth/grants/person.js";
import type { Keys } from "../oauth/keys/keys.js";
import { inSeconds, shortened, tokenHeaders, transactionTokenClaims } from "../oauth/tokens/claims.js";
import { directoryAway } from "../permissions/groups/directory-away.js";
import { OAuthError } from "../protocol/oauth-error.js";
import { lifetimes } from "../protocol/vocabulary.js";
import type { Approval, CollectedToken } from "../store/approvals.js";
import type { RedemptionOutcome } from "../store/redemptions.js";
import type { Resource } from "../store/resources.js";
import type { Store } from "../store/store.js";
import { type MembershipSources, mayAnswer } from "./approver.js";
import { auditedCall } from "../lifecycle/approval-events.js";
import { type CallSession, loadSession, type SessionSources } from "./session.js";

/** The answer of the endpoint with a token for one call. */
export interface TransactionTokenResponse {
  readonly access_token: string;
  readonly token_type: "DPoP" | "Bearer";
  readonly expires_in: number;
  readonly scope: string;
  readonly authorization_details: readonly AuthorizationDetail[];
}

export interface CollectSources extends SessionSources {
  readonly keys: Pick<Keys, "sign">;
  readonly requestId: string;
}

/** An approval that was answered with yes. */
type Answered = Approval & { readonly decidedBy: string; readonly decidedAt: Date };

/** Whether a token can be collected: for the first time, or the same one once more. */
export function isCollectable(approval: Approval, now: Date): approval is Answered {
  if (approval.decidedBy === null || approval.decidedAt === null) return false;
  if (approval.state === "approved") return approval.expiresAt > now;
  return approval.state === "collected" && approval.token !== null && approval.token.expiresAt > now;
}

/**
 * Issues the token of an approved call. Standing and permissions of the person, and the approver's right to answer, are decided again.
 * One request ends the approval; others, and retries, get the same token until it expires.
 *
 * @throws {OAuthError} The token cannot be issued now.
 */
export async function collect(
  id: string,
  resource: Resource,
  sources: CollectSources,
): Promise<TransactionTokenResponse | undefined> {
  const { store, now } = sources;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const approval = await store.approvals.find(id);
    if (approval === undefined || !isCollectable(approval, now)) return undefined;
    const { grantId: sessionId, userId: subject, clientId: actor } = approval;
    const session = await loadSession({ sessionId, subject, actor }, resource, sources);
    await requireApprover(approval, sources);
    const token = approval.token ?? newToken(session, now);
    const scopes = token.scopes.filter((scope) => session.scopes.includes(scope));
    if (scopes.length === 0)
      throw denied("nothing_granted", "The permission for the approved call was taken away.");
    const issued = { approval, session, resource, token: { ...token, scopes } };
    const { kind } = await storeCollection(issued, sources);
    if (kind === "stored") return respond(issued, sources);
  }
  throw new OAuthError(
    "temporarily_unavailable",
    "contention",
    "Too many requests use this at once. Try again.",
  );
}

interface Collection {
  readonly approval: Answered;
  readonly session: CallSession;
  readonly resource: Resource;
  readonly token: CollectedToken;
}

function newToken({ person, scopes }: CallSession, now: Date): CollectedToken {
  const seconds = shortened(now, lifetimes.transactionToken, endOfBasis(person, scopes));
  // In whole seconds, as the claims have them.
  return { id: randomUUID(), scopes, expiresAt: new Date((inSeconds(now) + seconds) * 1000) };
}

/** An approver who has left the group since, or was disabled, approves nothing. @throws {OAuthError} */
export async function requireApprover(
  approval: Approval,
  sources: Omit<MembershipSources, "store"> & { readonly store: Store },
): Promise<void> {
  if (approval.approver === null) return;
  const approver =
    approval.decidedBy === null ? undefined : await sources.store.users.find(approval.decidedBy);
  const may = approver === undefined ? false : await mayAnswer(approver, approval, sources);
  if (may === undefined) throw directoryAway();
  if (!may) throw denied("approver_gone", "The approver may no longer approve this call.");
}

async function storeCollection(
  { approval, session, resource, token }: Collection,
  { store, now, requestId }: CollectSources,
): Promise<RedemptionOutcome> {
  const { grant, person } = session;
  const isFirst = approval.state === "approved";
  const audit = toAuditRow({
    type: "approval.collected",
    outcome: "success",
    actor: { type: "user", id: grant.userId },
    at: now,
    subject: grant.userId,
    clientId: grant.clientId,
    requestId,
    data: {
      ...auditedCall(approval, resource),
      grantId: grant.id,
      tokenId: token.id,
      scopes: token.scopes,
      jkt: grant.jkt,
      ...(!isFirst && { repeated: true }),
    },
  });
  const basis = personBasis(person, { grantId: grant.id, resourceId: resource.id, scopes: token.scopes });
  const record = { once: [], basis: { ...basis, clientId: grant.clientId }, audit, now };
  return isFirst
    ? await store.redemptions.collectApproval({ ...record, approvalId: approval.id, token })
    : await store.redemptions.collectApprovalAgain({ ...record, approvalId: approval.id, tokenId: token.id });
}

function respond(
  { approval, session, resource, token }: Collection,
  { issuer, keys, now }: CollectSources,
): TransactionTokenResponse {
  const { grant, person } = session;
  const { jkt, statusIndex } = grant;
  const { decidedBy: approvedBy, decidedAt } = approval;
  const detail = grantDetail(approval.detail, { approvedBy, approvedAt: inSeconds(decidedAt) });
  const until = inSeconds(token.expiresAt);
  const claims = transactionTokenClaims(
    { user: person.user, authentication: grant },
    {
      issuer,
      clientId: grant.clientId,
      resource: resource.resource,
      scopes: token.scopes,
      grantId: grant.id,
      statusIndex,
      jkt,
      jti: token.id,
      txn: approval.txn,
      detail,
      now: approval.collectedAt ?? now,
      until,
    },
  );
  return {
    access_token: keys.sign({ typ: tokenHeaders.accessToken }, claims),
    token_type: jkt === null ? "Bearer" : "DPoP",
    expires_in: Math.max(until - inSeconds(now), 0),
    scope: token.scopes.join(" "),
    authorization_details: [detail],
  };
}

function denied(reason: string, message: string): OAuthError {
  return new OAuthError("access_denied", reason, message);
}
