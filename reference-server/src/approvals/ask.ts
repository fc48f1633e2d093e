import { randomUUID } from "node:crypto";
import { createTxn } from "@authz/dpop/approval";
import { canonicalJson } from "@authz/dpop/jws";
import { recordAudit, toAuditRow } from "../audit/record.js";
import { OAuthError } from "../protocol/oauth-error.js";
import { lifetimes, pollIntervalSeconds } from "../protocol/vocabulary.js";
import {
  type Approval,
  type AskingSituation,
  type CallKey,
  type NewApproval,
  runOfDeclines,
} from "../store/approvals.js";
import type { Resource } from "../store/resources.js";
import type { Store } from "../store/store.js";
import type { Challenge } from "./challenge.js";
import { type ApprovalPlace, approvalEvent } from "../lifecycle/approval-events.js";
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

/** What is asked about one call, and where it goes. */
export interface WantedApproval {
  readonly approval: NewApproval;
  readonly place: ApprovalPlace;
  readonly requestId: string;
}

/**
 * Asks for a call's approval, or joins the one that waits for an equal call: the same challenge again, or another one for the same call.
 *
 * @throws {OAuthError} `access_denied`: the app is muted, or too much waits; `invalid_request`: one `txn` for two calls
 */
export async function askForApproval(wanted: WantedApproval, store: Store): Promise<Approval> {
  return await store.transaction(async (tx) => await askOnce(wanted, tx));
}

async function askOnce(wanted: WantedApproval, tx: Store): Promise<Approval> {
  const { approval, place, requestId } = wanted;
  const { userId, clientId, resourceId, createdAt: now } = approval;
  const situation = await tx.approvals.lockAsking({ ...callKey(approval), userId, clientId, now });
  const { open } = situation;
  const known = resourceId === null ? undefined : await tx.approvals.findByTxn(resourceId, approval.txn);
  if (known !== undefined) return requireSameCall(known, approval);
  if (open !== undefined && open.expiresAt > now) return requireSameCall(open, approval);
  if (open !== undefined) {
    const event = approvalEvent("expired", open, place, { actor: { type: "system" }, at: now });
    await tx.approvals.expire(open.id, now, toAuditRow(event));
  }
  const fault = askingFault(situation, now);
  if (fault !== undefined) throw fault;
  await tx.approvals.insert(approval);
  await tx.notifications.record([{ type: "approval.asked", approval: approval.id }]);
  const actor = { type: "client", id: clientId } as const;
  await recordAudit(tx, approvalEvent("asked", approval, place, { actor, at: now, requestId }));
  return { ...approval, state: "pending", decidedBy: null, decidedAt: null, collectedAt: null, token: null };
}

/** What identifies the call of an approval. */
export function callKey({ grantId, resourceId, connectorId, callDigest }: NewApproval): CallKey {
  return { grantId, placeId: resourceId ?? connectorId ?? "", callDigest };
}

type Described = Omit<NewApproval, "id" | "createdAt" | "expiresAt" | "intervalSeconds" | "txn"> & {
  readonly txn?: string;
};

/** An approval that begins now, and waits longer when somebody else has to answer. */
export function newApproval(described: Described, now: Date): NewApproval {
  const seconds = described.approver === null ? lifetimes.approval : lifetimes.approvalByGroup;
  return {
    id: randomUUID(),
    txn: createTxn(described.callDigest),
    ...described,
    createdAt: now,
    expiresAt: new Date(now.getTime() + seconds * 1000),
    intervalSeconds: pollIntervalSeconds,
  };
}

/** The approval that a service's challenge asks for. */
export function challengedApproval(
  { txn, callDigest, method, url, detail, reason }: Challenge,
  { grant, resource }: { readonly grant: CallSession["grant"]; readonly resource: Resource },
  now: Date,
): NewApproval {
  const declared = resource.authorizationDetailsTypes.find(({ type }) => type === detail.type);
  return newApproval(
    {
      resourceId: resource.id,
      connectorId: null,
      userId: grant.userId,
      clientId: grant.clientId,
      grantId: grant.id,
      txn,
      callDigest,
      method,
      url,
      detail,
      reason,
      approver: declared?.approver ?? null,
      maxAgeSeconds: declared?.maxAgeSeconds ?? null,
    },
    now,
  );
}

/** The digest is the service's word: what the person reads must be the same, too. */
function requireSameCall(found: Approval, wanted: NewApproval): Approval {
  const isSame =
    found.grantId === wanted.grantId &&
    found.callDigest === wanted.callDigest &&
    found.method === wanted.method &&
    found.url === wanted.url &&
    canonicalJson(found.detail) === canonicalJson(wanted.detail);
  if (isSame) return found;
  const message = "The txn of the transaction_challenge was used for another call.";
  throw new OAuthError("invalid_request", "challenge_txn", message);
}
