import type { AuditActor } from "../audit/events.js";
import { recordAudit } from "../audit/record.js";
import type { ListedStop, StopTarget } from "../store/stops.js";
import type { LifecycleWork } from "./cause.js";

/**
 * Stops a target: nothing is issued or carried out for it until it is started again, and what has begun stays ended. One that is stopped
 * already stays as it is, except that an administrator takes over what a person stopped themselves.
 */
export async function setStop(target: StopTarget, work: LifecycleWork): Promise<ListedStop> {
  const { actor, at } = work;
  return await work.store.transaction(async (store) => {
    const changed = await store.stops.set(target, { at, by: authorOf(actor) });
    const stop = await store.stops.findByTarget(target);
    if (stop === undefined) throw new Error("A stop that was set is not there.");
    if (changed) await record("stop.set", stop, { ...work, store });
    return stop;
  });
}

/** Starts a target again. What began before stays ended. Returns whether this call did it. */
export async function liftStop(stop: ListedStop, work: LifecycleWork): Promise<boolean> {
  const { actor, at } = work;
  return await work.store.transaction(async (store) => {
    if (!(await store.stops.lift(stop, { at, by: authorOf(actor) }))) return false;
    await record("stop.lifted", stop, { ...work, store });
    return true;
  });
}

function authorOf(actor: AuditActor): string | null {
  return "id" in actor ? actor.id : null;
}

async function record(
  type: "stop.set" | "stop.lifted",
  { kind, user, client, service }: ListedStop,
  { store, actor, at, requestId }: LifecycleWork,
): Promise<void> {
  await recordAudit(store, {
    type,
    outcome: "success",
    actor,
    at,
    ...(user !== null && { subject: user.id }),
    ...(client !== null && { clientId: client.id }),
    ...(requestId !== undefined && { requestId }),
    data: { kind, ...(service !== null && { resource: service.resource }) },
  });
}
