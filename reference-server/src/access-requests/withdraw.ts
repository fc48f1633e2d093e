import { recordAudit } from "../audit/record.js";
import type { AccessRequest } from "../store/access-requests.js";
import type { Store } from "../store/store.js";

/** Who withdraws which request of theirs, and through which app. */
export interface Withdrawal {
  readonly id: string;
  readonly userId: string;
  readonly clientId: string | null;
  readonly requestId: string;
  readonly now: Date;
}

/** Withdraws a person's own request. `undefined`: there is none, or it is decided. */
export async function withdraw(
  { id, userId, clientId, requestId, now }: Withdrawal,
  store: Store,
): Promise<AccessRequest | undefined> {
  return await store.transaction(async (tx) => {
    const own = await tx.accessRequests.findOwn({ id, userId });
    if (own === undefined) return undefined;
    const ending = { given: [], expiresAt: null, word: null, decidedBy: userId } as const;
    const ended = await tx.accessRequests.decide({
      id,
      version: own.version,
      state: "withdrawn",
      ...ending,
    });
    if (ended === undefined) return undefined;
    const { kind, target, scopes } = ended;
    await recordAudit(tx, {
      type: "access.withdrawn",
      outcome: "success",
      actor: { type: "user", id: userId },
      at: now,
      subject: userId,
      ...(clientId !== null && { clientId }),
      requestId,
      data: { request: id, kind, target, scopes },
    });
    return ended;
  });
}
