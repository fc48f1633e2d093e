import { recordAudit } from "../audit/record.js";
import type { BrowserSession } from "../store/browser-sessions.js";
import type { Store } from "../store/store.js";

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
