import { randomUUID } from "node:crypto";
import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import { toAuditRow } from "../../audit/record.js";
import { createLoop, type Loop } from "../../platform/jobs/loop.js";
import type { ConnectionCall } from "../../store/connection-calls.js";
import type { Store } from "../../store/store.js";

/** How a call ended, as far as this process saw. */
export interface CallEnd {
  /** `null`: the third party did not answer. */
  readonly status: number | null;
  readonly requestBytes: number;
  readonly responseBytes: number;
}

/** A call that is noted and may be sent now. */
export interface BegunCall {
  /** Writes the audit event. Only the first end counts. */
  readonly end: (end: CallEnd) => void;
}

export interface CallRecordOptions {
  readonly store: Pick<Store, "connectionCalls">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}

/** Keeps account of the calls of this process. */
export interface CallRecord {
  /** `undefined`: nothing may be sent, the connection cannot be used any more. */
  readonly begin: (call: Omit<ConnectionCall, "id">) => Promise<BegunCall | undefined>;
  /** Resolves when every end so far is stored, or has failed to be. */
  readonly settle: () => Promise<void>;
}

/**
 * Creates the record. A call is noted before anything is sent and ends with its audit event. Should the end not reach the
 * database, `recordOrphanedCalls` finds the call later, so no request is without a trace.
 */
export function createCallRecord({ store, clock, log }: CallRecordOptions): CallRecord {
  const ending = new Set<Promise<void>>();

  async function write(call: ConnectionCall, end: CallEnd): Promise<void> {
    try {
      await store.connectionCalls.end(call.id, toAuditRow(usedEvent(call, new Date(clock()), end)));
    } catch (err) {
      log.warn(
        { code: "CONNECTION_CALL_NOT_ENDED", call: call.id, err },
        "A request through a connector is not in the audit trail yet; it will be.",
      );
    }
  }

  return {
    async begin(fields) {
      const call = { ...fields, id: randomUUID() };
      if (!(await store.connectionCalls.begin(call))) return undefined;
      let ended = false;
      return {
        end(end) {
          if (ended) return;
          ended = true;
          const work = write(call, end).finally(() => ending.delete(work));
          ending.add(work);
        },
      };
    },
    async settle() {
      await Promise.all(ending);
    },
  };
}

/** The audit event of a call. Nothing of the request itself but method, host and the shape of its path. */
function usedEvent(call: ConnectionCall, at: Date, end: CallEnd | undefined) {
  return {
    type: "connection.used",
    outcome: end === undefined || end.status === null ? "failed" : "success",
    actor: { type: "user", id: call.userId },
    at,
    subject: call.userId,
    ...(call.clientId !== null && { clientId: call.clientId }),
    ...(call.requestId !== null && { requestId: call.requestId }),
    data: {
      connector: call.connector,
      connectionId: call.connectionId,
      method: call.method,
      host: call.host,
      pathTemplate: call.pathTemplate,
      status: end?.status ?? null,
      durationMs: end === undefined ? null : at.getTime() - call.startedAt.getTime(),
      requestBytes: end?.requestBytes ?? null,
      responseBytes: end?.responseBytes ?? null,
    },
  } as const;
}

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
