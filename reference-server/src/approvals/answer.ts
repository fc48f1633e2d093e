import { toAuditRow } from "../audit/record.js";
import { approvalEvent } from "../lifecycle/approval-events.js";
import { revokeGrants } from "../lifecycle/revoke.js";
import { type KnownSession, type Staleness, staleness } from "../oauth/endpoints/authorize/decide.js";
import { lifetimes } from "../protocol/vocabulary.js";
import type { AnswerableApproval } from "../store/approvals.js";
import type { Store } from "../store/store.js";
import type { User } from "../store/users.js";
import { type MembershipSources, mayAnswer } from "./approver.js";

/** A person at their browser. Nothing else answers: no API, no app, no machine. */
export interface Answerer {
  readonly user: User;
  readonly session: KnownSession;
}

/** What a person may do about an approval. */
export type Standing =
  /** There is none, or it is not theirs to answer: both look the same. */
  | { readonly kind: "nothing" }
  /** The directory of the approvers' group is away. */
  | { readonly kind: "unknown" }
  /** They must sign in anew first; or did, and the provider did not ask for the password. */
  | {
      readonly kind: "sign_in";
      readonly approval: AnswerableApproval;
      readonly stale: Exclude<Staleness, "fresh">;
    }
  | { readonly kind: "answer"; readonly approval: AnswerableApproval }
  /** It waits no longer, or waits for others. */
  | { readonly kind: "look"; readonly approval: AnswerableApproval };

export interface AnswerSources extends Omit<MembershipSources, "store"> {
  readonly store: Store;
}

/** Finds what a person may do about an approval now. */
export async function considerApproval(
  id: string,
  { user, session }: Answerer,
  sources: AnswerSources,
): Promise<Standing> {
  const { store, now } = sources;
  const approval = await store.approvals.describe(id);
  if (approval === undefined) return { kind: "nothing" };
  const may = await mayAnswer(user, approval, sources);
  const isOwn = approval.userId === user.id || approval.decidedBy === user.id;
  if (may !== true && isOwn) return { kind: "look", approval };
  if (may !== true) return { kind: may === undefined ? "unknown" : "nothing" };
  const isOpen = approval.state === "pending" && approval.expiresAt > now && approval.isLive;
  if (!isOpen) return { kind: "look", approval };
  const { maxAgeSeconds, createdAt } = approval;
  if (maxAgeSeconds === null) return { kind: "answer", approval };
  const stale = staleness({ request: { prompts: new Set(), maxAgeSeconds, createdAt }, now }, session);
  return stale === "fresh" ? { kind: "answer", approval } : { kind: "sign_in", approval, stale };
}

export type Decision = "approve" | "decline" | "decline_and_end";

/**
 * Answers an approval, once: of concurrent answers the first one counts. Returns how things are now, and whether this answer is the one
 * that counted.
 */
export async function answerApproval(
  id: string,
  decision: Decision,
  answerer: Answerer,
  sources: AnswerSources & { readonly requestId: string },
): Promise<{ readonly standing: Standing; readonly answered: boolean }> {
  const standing = await considerApproval(id, answerer, sources);
  if (standing.kind !== "answer") return { standing, answered: false };
  const { approval } = standing;
  const { store, now, requestId } = sources;
  const actor = { type: "user", id: answerer.user.id } as const;
  const state = decision === "approve" ? "approved" : "declined";
  const event = approvalEvent(state, approval, approval.resource, { actor, at: now, requestId });
  const expiresAt = new Date(now.getTime() + lifetimes.approvedCall * 1000);
  const answer = { id, state, by: answerer.user.id, now, expiresAt } as const;
  const answered = (await store.approvals.answer(answer, toAuditRow(event))) !== undefined;
  // Only its owner signs an app out.
  if (decision === "decline_and_end" && approval.userId === answerer.user.id) {
    const work = { store, actor, at: now, requestId };
    await revokeGrants({ ids: [approval.grantId], reason: "revoked_by_user" }, work);
  }
  return { standing: await considerApproval(id, answerer, sources), answered };
}
