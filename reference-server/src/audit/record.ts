import type { AuditRow } from "../store/audit-events.js";
import type { Store } from "../store/store.js";
import { type AuditEvent, eventVersion } from "./events.js";

/**
 * Appends one event to the audit trail.
 *
 * Call it with the store of the transaction that does what the event records: either both are stored, or
 * neither is. When it throws, nothing may be issued.
 */
export async function recordAudit(store: Pick<Store, "auditEvents">, event: AuditEvent): Promise<void> {
  await store.auditEvents.append(toAuditRow(event));
}

/** The same for many events, with one statement. */
export async function recordAllAudits(
  store: Pick<Store, "auditEvents">,
  events: readonly AuditEvent[],
): Promise<void> {
  await store.auditEvents.appendAll(events.map(toAuditRow));
}

/** The row of an event, for a statement that stores it together with what it records. */
export function toAuditRow(event: AuditEvent): AuditRow {
  return {
    at: event.at,
    type: event.type,
    version: eventVersion,
    outcome: event.outcome,
    actorType: event.actor.type,
    actorId: "id" in event.actor ? event.actor.id : null,
    subject: event.subject ?? null,
    clientId: event.clientId ?? null,
    requestId: event.requestId ?? null,
    data: { ...event.data },
  };
}
