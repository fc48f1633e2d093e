import { recordAudit } from "../audit/record.js";
import { type EndCause, isExempt, type LifecycleWork, recordedCause } from "./cause.js";
import { revokeSessions } from "./revoke.js";

/**
 * Issues nothing more for a person until their next sign-in, which resumes everything. Their browser sessions end: a pause that a stolen
 * session could outlast would protect nobody.
 *
 * Returns whether they are paused by this; `false`: unknown, disabled, paused already, or exempt from what providers say.
 */
export async function pausePerson(userId: string, cause: EndCause, work: LifecycleWork): Promise<boolean> {
  const { actor, at, requestId } = work;
  return await work.store.transaction(async (store) => {
    if (!(await store.users.lock(userId)) || (await isExempt(userId, cause, store))) return false;
    const recorded = recordedCause(cause);
    if (!(await store.users.pause(userId, recorded.event ?? recorded.cause, at))) return false;
    const sessions = await revokeSessions({ userId }, { ...work, store });
    await recordAudit(store, {
      type: "person.paused",
      outcome: "success",
      actor,
      at,
      subject: userId,
      ...(requestId !== undefined && { requestId }),
      data: { ...recorded, sessions },
    });
    return true;
  });
}

/**
 * Ends a pause without a sign-in, where its reason turned out to be none: the provider answers again, or refused too many at once.
 *
 * Returns whether the person was paused for this cause.
 */
export async function resumePerson(userId: string, cause: EndCause, work: LifecycleWork): Promise<boolean> {
  const { actor, at, requestId } = work;
  return await work.store.transaction(async (store) => {
    const recorded = recordedCause(cause);
    if (!(await store.users.resume(userId, recorded.event ?? recorded.cause, at))) return false;
    await recordAudit(store, {
      type: "person.resumed",
      outcome: "success",
      actor,
      at,
      subject: userId,
      ...(requestId !== undefined && { requestId }),
      data: recorded,
    });
    return true;
  });
}
