import type { Logger } from "pino";
import { createLoop, type Loop } from "../platform/jobs/loop.js";
import type { SignalOutcome, SignalReceipts } from "../store/signal-streams.js";
import type { Store } from "../store/store.js";

const storeSeconds = 5;

/** What became of one event, and when. */
interface CountedReceipt {
  readonly outcome: SignalOutcome;
  readonly at: Date;
  /** Of an event that was accepted: when the transmitter issued it. */
  readonly issuedAt?: Date;
  /** Of one that was refused. */
  readonly reason?: string;
}

/** Counts the events of streams. */
export interface SignalReceiptCounter extends Loop {
  /** Counts in memory. */
  readonly count: (streamId: string, receipt: CountedReceipt) => void;
  /** Adds what was counted to the database. */
  readonly flush: () => Promise<void>;
  /** Events of this process, by outcome. */
  readonly totals: () => Readonly<Record<SignalOutcome, number>>;
}

type Counts = Partial<Record<SignalOutcome, number>>;
type Held = { readonly counts: Counts } & { -readonly [Part in "last" | "refusal"]: SignalReceipts[Part] };

/**
 * Creates the counter. Counts are stored together every few seconds, so that the events of one stream do not wait for each other's row;
 * a killed process loses the last ones.
 */
export function createSignalReceiptCounter({
  store,
  log,
}: {
  readonly store: Pick<Store, "signalStreams">;
  readonly log: Pick<Logger, "warn">;
}): SignalReceiptCounter {
  let held = new Map<string, Held>();
  const totals: Record<SignalOutcome, number> = {
    acted: 0,
    without_effect: 0,
    unknown_subject: 0,
    unknown_event: 0,
    stale: 0,
    repeated: 0,
    refused: 0,
  };
  const heldOf = (streamId: string): Held => {
    const found = held.get(streamId) ?? { counts: {}, last: {}, refusal: {} };
    held.set(streamId, found);
    return found;
  };

  const flush = async () => {
    if (held.size === 0) return;
    const flushed = held;
    held = new Map();
    try {
      await store.signalStreams.addReceipts(
        [...flushed].map(([streamId, receipts]) => ({ streamId, ...receipts })),
      );
    } catch (error) {
      for (const [streamId, { counts, last, refusal }] of flushed) {
        const newer = heldOf(streamId);
        for (const [outcome, count] of Object.entries(counts))
          add(newer.counts, outcome as SignalOutcome, count);
        newer.last = { ...last, ...newer.last };
        newer.refusal = { ...refusal, ...newer.refusal };
      }
      throw error;
    }
  };
  const onError = (err: unknown) =>
    log.warn(
      { code: "SIGNAL_COUNTS_NOT_STORED", err },
      "The counts of received events could not be stored; trying again.",
    );
  const loop = createLoop({ everySeconds: storeSeconds, work: flush, onError });

  return {
    ...loop,
    flush,
    totals: () => ({ ...totals }),
    count(streamId, { outcome, at, issuedAt, reason }) {
      totals[outcome] += 1;
      const receipts = heldOf(streamId);
      add(receipts.counts, outcome, 1);
      if (issuedAt !== undefined) {
        const lastLagSeconds = Math.max(0, (at.getTime() - issuedAt.getTime()) / 1000);
        receipts.last = { lastReceivedAt: at, lastLagSeconds };
      }
      if (reason !== undefined) receipts.refusal = { lastRefusedAt: at, lastRefusal: reason };
    },
    async stop() {
      await loop.stop();
      await flush().catch(onError);
    },
  };
}

function add(counts: Counts, outcome: SignalOutcome, count: number): void {
  counts[outcome] = (counts[outcome] ?? 0) + count;
}
