import type { DatabaseState } from "../../platform/http/management.js";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { createLoop, type Loop } from "../../platform/jobs/loop.js";
import { DatabaseUnavailableError } from "../../store/database-unavailable-error.js";
import type { OpenStore } from "../../store/store.js";
import type { DatabaseClock } from "./database-clock.js";

/** Probes rarely wait longer. */
const deadlineSeconds = 4;
/** Probes within this time share an answer, to spare the database. */
const freshMilliseconds = 1_000;
/** Interval of comparing the clocks without probes. */
const compareSeconds = 5;
const differenceToReport = 5;
const differenceToRefuse = 30;
const reportMilliseconds = 60_000;

/** Checks the database repeatedly, which also compares the clocks. */
export interface DatabaseCheck extends Loop {
  /** Writes to the database over the connections that requests use. Ends soon, either way. */
  readonly run: () => Promise<DatabaseState>;
  /** Reads the time of the database. @throws {DatabaseUnavailableError} */
  readonly readTime: () => Promise<void>;
}

export interface DatabaseCheckOptions {
  readonly store: Pick<OpenStore, "checkWrite">;
  readonly clock: DatabaseClock;
  readonly monotonic: () => number;
  readonly log: Pick<Logger, "warn">;
}

/** Creates the check behind `/readyz`. */
export function createDatabaseCheck({ store, clock, monotonic, log }: DatabaseCheckOptions): DatabaseCheck {
  let running: Promise<void> | undefined;
  let goodUntil = Number.NEGATIVE_INFINITY;
  let reportedAt = Number.NEGATIVE_INFINITY;

  async function write(): Promise<void> {
    const askedAt = monotonic();
    const time = await store.checkWrite();
    const answeredAt = monotonic();
    clock.learn({ time, askedAt, answeredAt });
    goodUntil = answeredAt + freshMilliseconds;
    reportDifference(answeredAt);
  }

  function reportDifference(at: number): void {
    const seconds = clock.differenceSeconds();
    if (Math.abs(seconds) <= differenceToReport || at - reportedAt < reportMilliseconds) return;
    reportedAt = at;
    log.warn(
      { code: "CLOCK_DIFFERS", seconds },
      `The clock of this machine and the clock of the database differ by ${Math.round(Math.abs(seconds))} s.`,
    );
  }

  async function writeInTime(): Promise<void> {
    const over = new AbortController();
    const late = delay(deadlineSeconds * 1000, undefined, { ref: false, signal: over.signal }).then(() => {
      throw new DatabaseUnavailableError(`The database stored nothing within ${deadlineSeconds} s.`);
    });
    try {
      await Promise.race([write(), late]);
    } finally {
      late.catch(() => undefined);
      over.abort();
      running = undefined;
    }
  }

  const readTime = async () => {
    running ??= writeInTime();
    await running;
  };
  const run = async (): Promise<DatabaseState> => {
    try {
      if (monotonic() >= goodUntil) await readTime();
    } catch (cause) {
      return { status: "database_away", cause };
    }
    const seconds = clock.differenceSeconds();
    if (Math.abs(seconds) <= differenceToRefuse) return { status: "ready" };
    return { status: "clock_differs", seconds };
  };
  const loop = createLoop({
    everySeconds: compareSeconds,
    work: readTime,
    // Requests that need the database report that it is away.
    onError: () => undefined,
  });
  return { ...loop, run, readTime };
}
