import { toAuditRow } from "../../audit/record.js";
import type { Store } from "../../store/store.js";
import { usedEvent } from "./call-record.js";

const batchSize = 100;

/**
 * Writes the audit events of calls whose process ended before they did. What became of them nobody knows; that they were
 * made is on record. Returns how many there were.
 */
export async function recordOrphanedCalls(store: Pick<Store, "connectionCalls">, now: Date): Promise<number> {
  let recorded = 0;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one batch after the other
    const calls = await store.connectionCalls.orphaned({ now, limit: batchSize });
    for (const call of calls) {
      // oxlint-disable-next-line no-await-in-loop -- there are few, and nobody waits
      if (await store.connectionCalls.end(call.id, toAuditRow(usedEvent(call, now, undefined))))
        recorded += 1;
    }
    if (calls.length < batchSize) return recorded;
  }
}
