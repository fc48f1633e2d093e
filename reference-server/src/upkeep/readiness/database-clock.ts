import type { Clock } from "@authz/dpop";

/** Time as the database tells it, which all processes share. */
export interface DatabaseClock {
  /** In milliseconds. The clock of this machine until the database has told the time once. */
  readonly now: Clock;
  /** The database told the time between two moments of the monotonic clock. */
  readonly learn: (told: {
    readonly time: Date;
    readonly askedAt: number;
    readonly answeredAt: number;
  }) => void;
  /** Seconds by which the clock of this machine is ahead; negative when it is behind. */
  readonly differenceSeconds: () => number;
}

export interface DatabaseClockOptions {
  readonly systemClock: Clock;
  /** Milliseconds that only ever pass, whoever sets the clock of this machine. */
  readonly monotonic: Clock;
}

/**
 * Creates the clock by which a process decides what is over and until when something holds.
 *
 * What a process stores is compared with what others stored, and removed when it is over. Were each to trust its own
 * clock, one that is slow would take a proof for fresh that nobody remembers any more.
 */
export function createDatabaseClock({ systemClock, monotonic }: DatabaseClockOptions): DatabaseClock {
  /** The database's time at the beginning of the monotonic clock. */
  let origin: number | undefined;
  const now = () => (origin === undefined ? systemClock() : Math.round(origin + monotonic()));
  return {
    now,
    learn({ time, askedAt, answeredAt }) {
      // It told the time at some moment between the two; what is known already may be more exact.
      const earliest = time.getTime() - answeredAt;
      const latest = time.getTime() - askedAt;
      const known = origin ?? (earliest + latest) / 2;
      origin = Math.min(Math.max(known, earliest), latest);
    },
    differenceSeconds: () => (systemClock() - now()) / 1000,
  };
}
