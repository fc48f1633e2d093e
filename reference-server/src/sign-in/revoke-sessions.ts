import type { AuditActor } from "../audit/events.js";
import { recordAllAudits } from "../audit/record.js";
import type { RemovedSession } from "../store/browser-sessions.js";
import type { Store } from "../store/store.js";

/** Which browser sessions end: all of a person, the one with this id, or these, whoever they belong to. */
export type SessionRevocation =
  | { readonly userId: string; readonly sessionId?: string }
  | { readonly sessionIds: readonly string[] };

/** By whom, when, and in which store. */
export interface Revoking {
  readonly store: Store;
  readonly actor: AuditActor;
  readonly at: Date;
  readonly requestId?: string;
}

/**
 * Ends browser sessions, wherever they are, and returns how many. The people's devices stay signed in.
 */
export async function revokeSessions(
  revocation: SessionRevocation,
  { store, actor, at, requestId }: Revoking,
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
