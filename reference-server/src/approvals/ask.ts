import { randomUUID } from "node:crypto";
import { canonicalJson } from "@authz/dpop/jws";
import { recordAudit, toAuditRow } from "../audit/record.js";
import { OAuthError } from "../protocol/oauth-error.js";
import { lifetimes, pollIntervalSeconds } from "../protocol/vocabulary.js";
import { type Approval, type AskingSituation, type NewApproval, runOfDeclines } from "../store/approvals.js";
import type { Resource } from "../store/resources.js";
import type { Store } from "../store/store.js";
import type { Challenge } from "./challenge.js";
import { approvalEvent } from "../lifecycle/approval-events.js";
import type { CallSession } from "./session.js";

/** As many as a person answers in earnest. */
const mostOfPerson = 20;
const mostOfApp = 5;
/** How long an app is muted after `runOfDeclines` declined in a row. */
const muteSeconds = 3600;

/** Why an app may not ask now, or `undefined` when it may. Pure. */
function askingFault(
  { pendingOfPerson, pendingOfApp, answers }: Omit<AskingSituation, "open">,
  now: Date,
): OAuthError | undefined {
  const [last] = answers;
  const isMuted =
    answers.length === runOfDeclines &&
    answers.every(({ declined }) => declined) &&
    last !== undefined &&
    last.at.getTime() > now.getTime() - muteSeconds * 1000;
  if (isMuted) {
    const message = `The person declined ${runOfDeclines} calls of this app in a row. It can ask again an hour after the last one.`;
    return new OAuthError("access_denied", "app_muted", message);
  }
  if (pendingOfApp >= mostOfApp) {
    const message = `${mostOfApp} calls of this app wait for the person already. Wait for an answer first.`;
    return new OAuthError("access_denied", "too_many_of_app", message);
  }
  if (pendingOfPerson >= mostOfPerson) {
    const message = `${mostOfPerson} calls wait for the person already. Wait for an answer first.`;
    return new OAuthError("access_denied", "too_many_of_person", message);
  }
  return undefined;
}

interface Asking {
  readonly challenge: Challenge;
  readonly session: CallSession;
  readonly resource: Resource;
  readonly requestId: string;
}

/**
 * Asks for a call's approval, or joins the one that waits for an equal call: the same challenge again, or another one for the same call.
 *
 * @throws {OAuthError} `access_denied`: the app is muted, or too much waits; `invalid_request`: one `txn` for two calls
 */
export async function askForApproval(asking: Asking, store: Store, now: Date): Promise<Approval> {
  return await store.transaction(async (tx) => await askOnce(asking, tx, now));
}

async function askOnce(asking: Asking, tx: Store, now: Date): Promise<Approval> {
  const { challenge, session, resource, requestId } = asking;
  const { callDigest } = challenge;
  const { grant } = session;
  const key = { grantId: grant.id, resourceId: resource.id, callDigest };
  const { userId, clientId } = grant;
  const situation = await tx.approvals.lockAsking({ ...key, userId, clientId, now });
  const { open } = situation;
  const known = await tx.approvals.findByTxn(resource.id, challenge.txn);
  if (known !== undefined) return requireSameCall(known, asking);
  if (open !== undefined && open.expiresAt > now) return requireSameCall(open, asking);
  if (open !== undefined) {
    const event = approvalEvent("expired", open, resource, { actor: { type: "system" }, at: now });
    await tx.approvals.expire(open.id, now, toAuditRow(event));
  }
  const fault = askingFault(situation, now);
  if (fault !== undefined) throw fault;
  const approval = newApproval(asking, now);
  await tx.approvals.insert(approval);
  await tx.notifications.record([{ type: "approval.asked", approval: approval.id }]);
  const actor = { type: "client", id: clientId } as const;
  await recordAudit(tx, approvalEvent("asked", approval, resource, { actor, at: now, requestId }));
  return { ...approval, state: "pending", decidedBy: null, decidedAt: null, collectedAt: null, token: null };
}

function newApproval({ challenge, session: { grant }, resource }: Asking, now: Date): NewApproval {
  const { txn, callDigest, method, url, detail, reason } = challenge;
  const declared = resource.authorizationDetailsTypes.find(({ type }) => type === detail.type);
  const approver = declared?.approver ?? null;
  const seconds = approver === null ? lifetimes.approval : lifetimes.approvalByGroup;
  return {
    id: randomUUID(),
    resourceId: resource.id,
    userId: grant.userId,
    clientId: grant.clientId,
    grantId: grant.id,
    txn,
    callDigest,
    method,
    url,
    detail,
    reason,
    approver,
    maxAgeSeconds: declared?.maxAgeSeconds ?? null,
    createdAt: now,
    expiresAt: new Date(now.getTime() + seconds * 1000),
    intervalSeconds: pollIntervalSeconds,
  };
}

/** The digest is the service's word: what the person reads must be the same, too. */
function requireSameCall(found: Approval, { challenge, session }: Asking): Approval {
  const isSame =
    found.grantId === session.grant.id &&
    found.callDigest === challenge.callDigest &&
    found.method === challenge.method &&
    found.url === challenge.url &&
    canonicalJson(found.detail) === canonicalJson(challenge.detail);
  if (isSame) return found;
  const message = "The txn of the transaction_challenge was used for another call.";
  throw new OAuthError("invalid_request", "challenge_txn", message);
}
