import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import type { AuditEvent } from "../audit/events.js";
import { toAuditRow } from "../audit/record.js";
import { createLoop, logFailures, type Loop } from "../platform/jobs/loop.js";
import type { EndedCall, ForwardedCall } from "../store/forwarded-calls.js";
import type { Store } from "../store/store.js";
import { createCallWatch } from "./watch-calls.js";

/** How a call ended, as far as this process knows. */
export interface CallEnd {
  /** `null`: there was no answer. */
  readonly status: number | null;
  readonly requestBytes: number;
  readonly responseBytes: number;
}

/** A call that is noted and may be sent now. */
export interface BegunCall {
  /** Aborted when the call may not go on. */
  readonly signal: AbortSignal;
  /** Writes the audit event. Only the first end counts. */
  readonly end: (end: CallEnd) => void;
}

export interface CallRecordOptions {
  readonly store: Pick<Store, "forwardedCalls">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}

/** A noted call, as far as its audit event needs it. */
export type FollowedCall = Omit<ForwardedCall, "endsBefore">;

/** Records the calls of this process. */
export interface CallRecord {
  /** Takes over a call that the store has begun. */
  readonly follow: (call: FollowedCall) => BegunCall;
  /**
   * Forgets a call that the store has begun, of which nothing was sent. Resolves when that is stored, so that a caller is never
   * told "not sent" of a call that an event could name later.
   */
  readonly cancel: (id: string) => Promise<void>;
  /** Resolves when every end so far is stored, or could not be. */
  readonly settle: () => Promise<void>;
}

/** Batch size and delay of ends, for which no caller waits. */
const maximumBatch = 64;
const lingerMilliseconds = 25;

/**
 * Creates the record. A call is noted before anything is sent and ends with its audit event. If the end does not reach the database,
 * `recordOrphanedCalls` finds the call later, so every request is recorded.
 */
export function createCallRecord({ store, clock, log }: CallRecordOptions): CallRecord {
  const writing = new Set<Promise<void>>();
  const watch = createCallWatch({ store, log });
  let ended: EndedCall[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function write(calls: readonly EndedCall[]): Promise<void> {
    try {
      await store.forwardedCalls.end(calls);
    } catch (err) {
      log.warn(
        { code: "FORWARDED_CALLS_NOT_ENDED", calls: calls.map(({ id }) => id), err },
        "Forwarded requests are not in the audit trail yet; they will be.",
      );
    }
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (ended.length === 0) return;
    const work = write(ended).finally(() => writing.delete(work));
    writing.add(work);
    ended = [];
  }

  function add(call: EndedCall): void {
    ended.push(call);
    if (ended.length >= maximumBatch) flush();
    else timer ??= setTimeout(flush, lingerMilliseconds);
  }

  return {
    follow(call) {
      const { signal, release } = watch(call.id);
      let isEnded = false;
      return {
        signal,
        end(end) {
          if (isEnded) return;
          isEnded = true;
          release();
          add({ id: call.id, event: toAuditRow(callEvent(call, new Date(clock()), end)) });
        },
      };
    },
    cancel: (id) => write([{ id, event: undefined }]),
    async settle() {
      flush();
      await Promise.all(writing);
    },
  };
}

/** The audit event of a call: of the request it has only method, host and the shape of its path. */
function callEvent(call: FollowedCall, at: Date, end: CallEnd | undefined): AuditEvent {
  const { connection, service, userId, clientId, requestId, method, host, pathTemplate } = call;
  const common = {
    outcome: end === undefined || end.status === null ? "failed" : "success",
    actor: { type: "user", id: userId },
    at,
    subject: userId,
    ...(clientId !== null && { clientId }),
    ...(requestId !== null && { requestId }),
  } as const;
  const data = {
    method,
    host,
    pathTemplate,
    status: end?.status ?? null,
    durationMs: end === undefined ? null : at.getTime() - call.startedAt.getTime(),
    requestBytes: end?.requestBytes ?? null,
    responseBytes: end?.responseBytes ?? null,
  };
  if (connection !== null) {
    const { id: connectionId, connector } = connection;
    return { type: "connection.used", ...common, data: { connector, connectionId, ...data } };
  }
  if (service === null) throw new TypeError("A call goes through a connection or to a service.");
  return { type: "service.called", ...common, data: { ...service, ...data } };
}

const batchSize = 100;
const everySeconds = 30;

/** Repeats `recordOrphanedCalls` while the server runs. */
export function createOrphanedCallLoop({ store, clock, log }: CallRecordOptions): Loop {
  return createLoop({
    everySeconds,
    work: async () => void (await recordOrphanedCalls(store, new Date(clock()))),
    onError: logFailures(log, {
      code: "FORWARDED_CALLS_NOT_RECORDED",
      message: "Requests that lost their process are not in the audit trail yet; trying again.",
    }),
  });
}

/**
 * Writes the audit events of calls whose process ended before they did: that they were made, not how they ended. Returns how many there
 * were.
 */
export async function recordOrphanedCalls(store: Pick<Store, "forwardedCalls">, now: Date): Promise<number> {
  let recorded = 0;
  for (;;) {
    const calls = await store.forwardedCalls.orphaned({ now, limit: batchSize });
    const events = calls.map((call) => ({
      id: call.id,
      event: toAuditRow(callEvent(call, now, undefined)),
    }));
    if (events.length > 0) recorded += await store.forwardedCalls.end(events);
    if (calls.length < batchSize) return recorded;
  }
}
