import type { Logger } from "pino";
import { createLoop, logFailures, type Loop } from "../jobs/loop.js";
import {
  exactLimits,
  type OwnLimitName,
  ownLimitNames,
  type RateLimitName,
  type RateLimits,
  rateLimitNames,
} from "./limits.js";
import { createSharedCounts, type RateLimitStore } from "./shared-counts.js";
import { emptyWindow, minuteOf, previousPart, secondsUntilFree, usedOf, type Window } from "./window.js";

/** Below this share of a limit a process counts by itself and syncs every second. */
const localShare = 0.5;
const syncSeconds = 1;

export interface RateLimiterOptions {
  readonly store: RateLimitStore;
  readonly limits: RateLimits;
  readonly clock: () => number;
  readonly log: Pick<Logger, "warn">;
  /** Keys that are remembered at a time. */
  readonly maxKeys?: number;
}

type CountedName = RateLimitName | OwnLimitName;

/** Counts requests by key, together with all other processes. */
export interface RateLimiter extends Loop {
  /**
   * Counts one request, as so many as it costs.
   *
   * @throws {RateLimitedError} It is one too many; it is not counted.
   */
  readonly take: (name: RateLimitName, key: string, cost?: number) => Promise<void>;
  /**
   * The same for a limit that has its own number.
   *
   * @throws {RateLimitedError}
   */
  readonly takeOwn: (own: {
    readonly name: OwnLimitName;
    readonly key: string;
    readonly perMinute: number;
  }) => Promise<void>;
  /** Exchanges counts with the other processes. */
  readonly sync: () => Promise<void>;
  /** Requests that this process refused, by limit. */
  readonly refused: () => Readonly<Record<CountedName, number>>;
}

/** There were too many requests. Answered with 429. */
export class RateLimitedError extends Error {
  override readonly name = "RateLimitedError";
  readonly statusCode = 429;
  readonly limit: CountedName;
  readonly retryAfterSeconds: number;
  constructor(limit: CountedName, retryAfterSeconds: number) {
    super(`The limit ${limit} is reached.`);
    this.limit = limit;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface Limit {
  readonly name: CountedName;
  readonly perMinute: number;
}

/**
 * Creates the limiter.
 *
 * A request far below its limit costs no round trip: it is counted here, and once a second all counts go to the
 * database in one statement that answers with the counts of all processes. A key that nears its limit, and every key
 * of an exact limit, is counted in the database request by request.
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { store, limits, clock, log, maxKeys = 50_000 } = options;
  const counts = createSharedCounts({ store, clock, maxKeys });
  const names: readonly CountedName[] = [...rateLimitNames, ...ownLimitNames];
  const refused = Object.fromEntries(names.map((name) => [name, 0])) as Record<CountedName, number>;
  const reported = new Map<CountedName, number>();

  function refuse({ name, perMinute }: Limit, key: string, window: Window): RateLimitedError {
    const seconds = secondsUntilFree(window, perMinute, clock());
    refused[name] += 1;
    if (reported.get(name) !== window.minute) {
      reported.set(name, window.minute);
      log.warn({ code: "RATE_LIMITED", limit: name, key, perMinute }, "Requests are refused with 429.");
    }
    return new RateLimitedError(name, seconds);
  }

  async function takeOne(limit: Limit, subject: string, wanted = 1): Promise<void> {
    const { name, perMinute } = limit;
    // A cost above the limit would never be allowed.
    const cost = Math.min(wanted, perMinute);
    const now = clock();
    const key = `${name} ${subject}`;
    const minute = minuteOf(now);
    // A flood of keys must not switch off the limits against guessing: the database counts those.
    const window = counts.windowOf(key, minute) ?? (exactLimits.has(name) ? emptyWindow(minute) : undefined);
    if (window === undefined) return;
    const used = usedOf(window, now);
    if (used + cost > perMinute) throw refuse(limit, key, window);
    if (!exactLimits.has(name) && used < perMinute * localShare) {
      window.pending += cost;
      return;
    }
    const number = await counts.countExactly(key, window, cost);
    if (previousPart(window, now) + number > perMinute) throw refuse(limit, key, window);
  }

  const loop = createLoop({
    everySeconds: syncSeconds,
    work: counts.sync,
    onError: logFailures(log, {
      code: "RATE_LIMIT_SYNC_FAILED",
      message: "Counts could not be shared; trying again.",
    }),
  });
  return {
    ...loop,
    sync: counts.sync,
    refused: () => ({ ...refused }),
    async take(name, subject, cost) {
      if (limits !== undefined) await takeOne({ name, perMinute: limits[name] }, subject, cost);
    },
    takeOwn: ({ name, key, perMinute }) => takeOne({ name, perMinute }, key),
  };
}
