import { withdrawApprovals } from "./approval-events.js";
import { recordAllAudits, recordAudit } from "../audit/record.js";
import type { BrowserSession, RemovedSession } from "../store/browser-sessions.js";
import type { RevocationReason } from "../store/grants.js";
import type { Store } from "../store/store.js";
import type { LifecycleWork } from "./cause.js";

/** The browser sessions to end: all of a user, one of them, or these, of any user. */
type SessionRevocation =
  | { readonly userId: string; readonly sessionId?: string }
  | { readonly sessionIds: readonly string[] };

/**
 * Ends browser sessions, wherever they are, and returns how many. The people's devices stay signed in.
 */
export async function revokeSessions(
  revocation: SessionRevocation,
  { store, actor, at, requestId }: LifecycleWork,
): Promise<number> {
  return await store.transaction(async (tx) => {
    const ended = await removeSessions(tx, revocation);
    const request = requestId === undefined ? {} : { requestId };
    await recordAllAudits(
      tx,
      ended.map(({ id, userId }) => ({
        type: "session.ended",
        outcome: "success",
        actor,
        at,
        subject: userId,
        ...request,
        data: { sessionId: id },
      })),
    );
    return ended.length;
  });
}

async function removeSessions(
  store: Store,
  revocation: SessionRevocation,
): Promise<readonly RemovedSession[]> {
  if ("sessionIds" in revocation) return await store.browserSessions.removeMany(revocation.sessionIds);
  const { userId, sessionId } = revocation;
  if (sessionId === undefined) {
    return (await store.browserSessions.removeAll(userId)).map((id) => ({ id, userId }));
  }
  const removed = await store.browserSessions.remove({ id: sessionId, userId });
  return removed ? [{ id: sessionId, userId }] : [];
}

/** The grants to end: all of a user or those that began until a time, all of a client, or these, of any user. */
export type GrantRevocation =
  | { readonly userId: string; readonly until?: Date | undefined }
  | { readonly clientId: string }
  | { readonly ids: readonly string[] };

/** Numbers of ended grants and of their users. */
interface EndedGrants {
  readonly grants: number;
  readonly people: number;
  /** Codes and allowed devices that had not led to one yet. */
  readonly unused: number;
}

/**
 * Ends grants with all their tokens and consents, and counts the live ones. All of a user or of a client include those that were allowed
 * and have not begun: no list shows them, and a device that was allowed by mistake may still be waiting.
 */
export async function revokeGrants(
  revocation: GrantRevocation & { readonly reason: RevocationReason },
  { store, actor, at, requestId }: LifecycleWork,
): Promise<EndedGrants> {
  const { reason } = revocation;
  return await store.transaction(async (tx) => {
    // First, so that one redeemed at this moment is a grant when the grants end.
    const unused = "ids" in revocation ? 0 : await endUnused(tx, revocation);
    const ended = await end(tx, { ...revocation, at });
    const ids = ended.map(({ id }) => id);
    await tx.consents.forgetOf(ids);
    await withdrawApprovals(ids, { store: tx, actor, at, ...(requestId !== undefined && { requestId }) });
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
    return { grants: ended.length, people: new Set(ended.map(({ userId }) => userId)).size, unused };
  });
}

async function endUnused(
  { authorizationCodes, deviceAuthorizations }: Store,
  whose: { readonly userId: string } | { readonly clientId: string },
): Promise<number> {
  const codes = await authorizationCodes.endUnused(whose);
  return codes + (await deviceAuthorizations.denyUnused(whose));
}

async function end(
  { grants }: Pick<Store, "grants">,
  revocation: GrantRevocation & { readonly reason: RevocationReason; readonly at: Date },
) {
  if ("userId" in revocation) return await grants.revokeAll(revocation);
  if ("clientId" in revocation) return await grants.revokeOfClient(revocation);
  return await grants.revokeMany(revocation);
}

/** Ends a browser's session. The devices that act for the person stay signed in. */
export async function signOut(
  session: BrowserSession,
  { store, now, requestId }: { store: Store; now: Date; requestId: string },
): Promise<void> {
  await store.transaction(async (transaction) => {
    if (!(await transaction.browserSessions.remove(session))) return;
    await recordAudit(transaction, {
      type: "session.ended",
      outcome: "success",
      actor: { type: "user", id: session.userId },
      at: now,
      subject: session.userId,
      requestId,
      data: { sessionId: session.id },
    });
  });
}
