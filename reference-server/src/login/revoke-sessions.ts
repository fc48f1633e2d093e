import type { AuditActor } from "../audit/events.js";
import { recordAudit } from "../audit/record.js";
import type { Store } from "../store/store.js";

/** Whose browser sessions end: all of them, or the one with this id. */
export interface SessionRevocation {
  readonly userId: string;
  readonly sessionId?: string;
}

/**
 * Ends browser sessions of a person, wherever they are, and returns how many. The person's devices stay signed in.
 */
export async function revokeSessions(
  revocation: SessionRevocation,
  { store, actor, at }: { readonly store: Store; readonly actor: AuditActor; readonly at: Date },
): Promise<number> {
  return await store.transaction(async (tx) => {
    const ended = await removeSessions(tx, revocation);
    for (const id of ended) {
      const data = { sessionId: id };
      await recordAudit(tx, {
        type: "session.ended",
        outcome: "success",
        actor,
        at,
        subject: revocation.userId,
        data,
      });
    }
    return ended.length;
  });
}

async function removeSessions(
  store: Store,
  { userId, sessionId }: SessionRevocation,
): Promise<readonly string[]> {
  if (sessionId === undefined) return await store.browserSessions.removeAll(userId);
  return (await store.browserSessions.remove({ id: sessionId, userId })) ? [sessionId] : [];
}
