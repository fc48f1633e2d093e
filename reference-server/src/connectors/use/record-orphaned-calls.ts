import { toAuditRow } from "../../audit/record.js";
import { createLoop, type Loop } from "../../platform/jobs/loop.js";
import type { Store } from "../../store/store.js";
import { type CallRecordOptions, usedEvent } from "./call-record.js";

const batchSize = 100;
const everySeconds = 30;

/** Repeats `recordOrphanedCalls` while the server runs. */
export function createOrphanedCallLoop({ store, clock, log }: CallRecordOptions): Loop {
  return createLoop({
    everySeconds,
    work: async () => void (await recordOrphanedCalls(store, new Date(clock()))),
    onError: (err) => {
      log.warn(
        { code: "CONNECTION_CALLS_NOT_RECORDED", err },
        "Requests that lost their process are not in the audit trail yet; trying again.",
      );
    },
  });
}

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
