import type { Clock } from "@authz/dpop";

/** The time of the database, which all processes share. */
export interface DatabaseClock {
  /** In milliseconds. The clock of this machine until the first answer of the database. */
  readonly now: Clock;
  /** Sets the clock by the time that the database read between two moments of the monotonic clock. */
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
  /** Milliseconds that only increase, however the clock of this machine is set. */
  readonly monotonic: Clock;
}

/**
 * Creates the clock by which a process decides what has expired.
 *
 * Processes compare times that others have stored, and remove what has expired. With clocks of their own, a slow one would accept a proof
 * whose record is gone.
 */
export function createDatabaseClock({ systemClock, monotonic }: DatabaseClockOptions): DatabaseClock {
  /** The database's time at the beginning of the monotonic clock. */
  let origin: number | undefined;
  const now = () => (origin === undefined ? systemClock() : Math.round(origin + monotonic()));
  return {
    now,
    learn({ time, askedAt, answeredAt }) {
      // The time was read at some moment between the two; the known origin may be more exact.
      const earliest = time.getTime() - answeredAt;
      const latest = time.getTime() - askedAt;
      const known = origin ?? (earliest + latest) / 2;
      origin = Math.min(Math.max(known, earliest), latest);
    },
    differenceSeconds: () => (systemClock() - now()) / 1000,
  };
}
