import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { createLoop, logFailures, type Loop } from "../../platform/jobs/loop.js";
import { type ExpiredKind, expiredKinds } from "../../store/expired-records.js";
import type { OpenStore } from "../../store/store.js";
import { keepSeconds } from "./retention.js";

/** Statements for one kind before the next kind's turn. */
const stepsPerTurn = 50;

export interface HousekeeperContext {
  readonly store: Pick<OpenStore, "exclusively" | "expiredRecords">;
  readonly log: Pick<Logger, "debug" | "warn">;
  readonly everySeconds: number;
  /** Milliseconds, for measuring how long something takes. */
  readonly stopwatch?: () => number;
  /** Waits; ends early when the process stops. */
  readonly rest?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

type RemovedCounts = Readonly<Record<ExpiredKind, number>>;

/** Removes expired records while the server runs. */
export interface Housekeeper extends Loop {
  /** One round; does nothing while another process is running one. */
  readonly run: (signal?: AbortSignal) => Promise<void>;
  /** Records that this process has removed so far. */
  readonly removed: () => RemovedCounts;
}

/**
 * Creates the housekeeper: one process at a time, every step a transaction of its own. Step size and the rests between steps follow the
 * speed of the database, so that removing many rows takes long and delays no request.
 */
export function createHousekeeper(context: HousekeeperContext): Housekeeper {
  const { store, log, everySeconds, stopwatch = () => performance.now(), rest = sleep } = context;
  const total = Object.fromEntries(expiredKinds.map((kind) => [kind, 0])) as Record<ExpiredKind, number>;
  const limits = new Map<ExpiredKind, number>();

  /** Removes some of one kind. Returns whether there was nothing more. */
  const step = async (kind: ExpiredKind, signal: AbortSignal | undefined): Promise<boolean> => {
    const limit = limits.get(kind) ?? fewestRows;
    const begun = stopwatch();
    const count = await store.expiredRecords.remove(kind, { keepSeconds: keepSeconds[kind], limit });
    const taken = { limit, milliseconds: stopwatch() - begun };
    total[kind] += count;
    if (count < limit) return true;
    limits.set(kind, nextLimit(taken));
    await rest(restAfter(taken), signal);
    return false;
  };
  /** Returns whether there may be more. */
  const takeTurn = async (kind: ExpiredKind, signal: AbortSignal | undefined): Promise<boolean> => {
    for (let steps = 0; steps < stepsPerTurn; steps += 1) {
      if (signal?.aborted === true) return true;
      if (await step(kind, signal)) return false;
    }
    return true;
  };
  const removeAll = async (signal: AbortSignal | undefined) => {
    let left: readonly ExpiredKind[] = expiredKinds;
    while (left.length > 0) {
      if (signal?.aborted === true) return;
      const more: ExpiredKind[] = [];
      for (const kind of left) {
        if (await takeTurn(kind, signal)) more.push(kind);
      }
      left = more;
    }
  };
  const run = async (signal?: AbortSignal) => {
    const before = { ...total };
    await store.exclusively("housekeeping", () => removeAll(signal));
    const changed = expiredKinds.filter((kind) => total[kind] > before[kind]);
    if (changed.length === 0) return;
    const counts = Object.fromEntries(changed.map((kind) => [kind, total[kind] - before[kind]]));
    log.debug({ code: "HOUSEKEEPING_REMOVED", ...counts }, "Expired records were removed.");
  };

  const loop = createLoop({
    everySeconds,
    work: run,
    onError: logFailures(log, {
      code: "HOUSEKEEPING_FAILED",
      message: "Removing expired records failed; trying again.",
    }),
  });
  return { ...loop, run, removed: () => ({ ...total }) };
}

async function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}

/** One statement that removed something. */
interface Step {
  /** Rows that it was allowed to remove. */
  readonly limit: number;
  readonly milliseconds: number;
}

/** Target duration of a statement: short enough to delay no other work. */
const stepMilliseconds = 40;
/** Rest as a multiple of the work before it. */
const restShare = 3;
const longestRestMilliseconds = 2_000;
/** Below this a statement gets no shorter, and expired rows have to go in the end. */
const fewestRows = 200;
const mostRows = 1_000;

/** Rows that the next statement may remove: as many as fit its time, and at most twice as many as before. */
export function nextLimit({ limit, milliseconds }: Step): number {
  const fitting = Math.floor((limit * stepMilliseconds) / Math.max(milliseconds, 1));
  return Math.min(Math.max(fitting, fewestRows), 2 * limit, mostRows);
}

/** How long to rest after a statement: longer when the database is slow, which means that it is busy. */
export function restAfter({ milliseconds }: Pick<Step, "milliseconds">): number {
  return Math.min(milliseconds * restShare, longestRestMilliseconds);
}
