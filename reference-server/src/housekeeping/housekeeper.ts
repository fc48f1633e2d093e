import type { Logger } from "pino";
import { createLoop, type Loop } from "../background/loop.js";
import { type ExpiredKind, expiredKinds } from "../store/expired-records.js";
import type { OpenStore } from "../store/store.js";
import { keepSeconds } from "./retention.js";

/** Rows per statement: few enough that nobody waits for it. */
const batchSize = 1_000;
/** Batches per kind in one round, so that a round ends. */
const maxBatches = 300;

export interface HousekeeperContext {
  readonly store: Pick<OpenStore, "exclusively" | "expiredRecords">;
  readonly clock: () => number;
  readonly log: Pick<Logger, "debug" | "warn">;
  readonly everySeconds: number;
}

export type RemovedCounts = Readonly<Record<ExpiredKind, number>>;

/** Removes what has expired while the server runs. */
export interface Housekeeper extends Loop {
  /** One round; does nothing while another process is at it. */
  readonly run: (signal?: AbortSignal) => Promise<void>;
  /** What this process has removed so far. */
  readonly removed: () => RemovedCounts;
}

/** Creates the housekeeper: one process at a time, small batches, every batch a transaction of its own. */
export function createHousekeeper(context: HousekeeperContext): Housekeeper {
  const { store, log, clock, everySeconds } = context;
  const total = Object.fromEntries(expiredKinds.map((kind) => [kind, 0])) as Record<ExpiredKind, number>;

  const removeKind = async (kind: ExpiredKind, signal: AbortSignal | undefined) => {
    const statement = { now: new Date(clock()), keepSeconds: keepSeconds[kind], limit: batchSize };
    for (let batch = 0; batch < maxBatches; batch += 1) {
      if (signal?.aborted === true) return;
      // oxlint-disable-next-line no-await-in-loop -- small batches one after the other
      const count = await store.expiredRecords.remove(kind, statement);
      total[kind] += count;
      if (count < batchSize) return;
    }
  };
  const run = async (signal?: AbortSignal) => {
    const before = { ...total };
    // oxlint-disable-next-line no-await-in-loop -- one kind after the other
    await store.exclusively("housekeeping", async () => {
      for (const kind of expiredKinds) await removeKind(kind, signal);
    });
    const changed = expiredKinds.filter((kind) => total[kind] > before[kind]);
    if (changed.length === 0) return;
    const counts = Object.fromEntries(changed.map((kind) => [kind, total[kind] - before[kind]]));
    log.debug({ code: "HOUSEKEEPING_REMOVED", ...counts }, "Expired records were removed.");
  };

  const loop = createLoop({
    everySeconds,
    work: run,
    onError: (err) =>
      log.warn({ code: "HOUSEKEEPING_FAILED", err }, "Removing expired records failed; trying again."),
  });
  return { ...loop, run, removed: () => ({ ...total }) };
}
