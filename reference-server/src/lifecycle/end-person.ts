import { recordAllAudits, recordAudit } from "../audit/record.js";
import { disabledBy, type EndCause, isExempt, type LifecycleWork, recordedCause } from "./cause.js";
import { revokeGrants, revokeSessions } from "./revoke.js";

/** How much of a person has ended. */
export interface EndedThings {
  readonly sessions: number;
  readonly grants: number;
  /** Codes that no app has redeemed yet, and devices that were allowed and have not asked yet. */
  readonly unused: number;
  readonly requests: number;
  readonly connections: number;
}

/** Nothing has ended. */
export const nothingEnded: EndedThings = { sessions: 0, grants: 0, unused: 0, requests: 0, connections: 0 };

/**
 * Disables a person and ends everything of theirs, in one transaction: browser sessions, grants with their consents, codes, allowed
 * devices and access requests. Connections cannot be used any more; their tokens stay sealed until they are disconnected. Sign-ins that
 * are under way wait for it.
 *
 * Returns what has ended; `undefined`: the person is unknown, disabled already, or exempt from what providers say.
 */
export async function endPerson(
  userId: string,
  cause: EndCause,
  work: LifecycleWork,
): Promise<EndedThings | undefined> {
  const { actor, at, requestId } = work;
  return await work.store.transaction(async (store) => {
    if (!(await store.users.lock(userId)) || (await isExempt(userId, cause, store))) return undefined;
    if (!(await store.users.setEnabled(userId, false, at, disabledBy(cause)))) return undefined;
    const event = {
      outcome: "success",
      actor,
      at,
      subject: userId,
      ...(requestId !== undefined && { requestId }),
    } as const;
    const enabled = { from: true, to: false };
    await recordAudit(store, { ...event, type: "user.changed", data: { enabled } });
    const ended = await endEverything(userId, { ...work, store });
    const data = { ...recordedCause(cause), ...ended };
    await recordAudit(store, { ...event, type: "person.ended", data });
    return ended;
  });
}

async function endEverything(userId: string, work: LifecycleWork): Promise<EndedThings> {
  const { store } = work;
  const sessions = await revokeSessions({ userId }, work);
  const { grants, unused } = await revokeGrants({ userId, reason: "user_disabled" }, work);
  const requests = await withdrawRequests(userId, work);
  const connections = await blockConnections(userId, work);
  await store.presences.forget(userId, work.at);
  await store.consents.forgetAll(userId);
  return { sessions, grants, unused, requests, connections };
}

async function withdrawRequests(userId: string, { store, actor, at, requestId }: LifecycleWork) {
  const withdrawn = await store.accessRequests.withdrawAll(userId, "id" in actor ? actor.id : actor.type);
  await recordAllAudits(
    store,
    withdrawn.map(({ id, kind, target, scopes }) => ({
      type: "access.withdrawn",
      outcome: "success",
      actor,
      at,
      subject: userId,
      ...(requestId !== undefined && { requestId }),
      data: { request: id, kind, target, scopes },
    })),
  );
  return withdrawn.length;
}

async function blockConnections(
  userId: string,
  { store, actor, at, requestId }: LifecycleWork,
): Promise<number> {
  const reason = "person_ended" as const;
  const blocked = await store.connections.requireReconnectOfPerson({ userId, reason });
  await recordAllAudits(
    store,
    blocked.map(({ id: connectionId, connector }) => ({
      type: "connection.reconnect_required",
      outcome: "success",
      actor,
      at,
      subject: userId,
      ...(requestId !== undefined && { requestId }),
      data: { connector, connectionId, reason },
    })),
  );
  return blocked.length;
}

/** Enables a person again. Nothing of what has ended comes back: not even what began while it ended. */
export async function enablePerson(userId: string, work: LifecycleWork): Promise<void> {
  const { actor, at, requestId } = work;
  await work.store.transaction(async (store) => {
    await endEverything(userId, { ...work, store });
    await store.users.setEnabled(userId, true, at);
    await recordAudit(store, {
      type: "user.changed",
      outcome: "success",
      actor,
      at,
      subject: userId,
      ...(requestId !== undefined && { requestId }),
      data: { enabled: { from: false, to: true } },
    });
  });
}
