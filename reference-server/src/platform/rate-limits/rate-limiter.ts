import type { Logger } from "pino";
import { createLoop, type Loop } from "../jobs/loop.js";
import {
  exactLimits,
  type OwnLimitName,
  ownLimitNames,
  type RateLimitName,
  type RateLimits,
  rateLimitNames,
} from "./limits.js";
import {
  countOf,
  emptyWindow,
  minuteOf,
  previousPart,
  secondsUntilFree,
  usedOf,
  type Window,
} from "./window.js";

/** Requests that one key made in one minute. */
interface RateCount {
  readonly key: string;
  /** Minutes since 1970. */
  readonly minute: number;
  readonly count: number;
}

/** What all processes together counted for a key. */
export interface SharedRateCount extends RateCount {
  /** The count of the minute before. */
  readonly previous: number;
}

export interface RateLimitStore {
  /** Adds to the counts of all processes and returns them, in one statement. Each key and minute at most once. */
  add(counts: readonly RateCount[]): Promise<readonly SharedRateCount[]>;
}

/** Below this part of a limit a process counts by itself and tells the others every second. */
const localShare = 0.5;
const syncSeconds = 1;
const batchSize = 1_000;

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
  /** Tells the other processes what was counted, and learns what they counted. */
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

/**
 * Creates the limiter.
 *
 * A request far below its limit costs no round trip: it is counted here, and once a second all counts go to the
 * database in one statement that answers with the counts of all processes. A key that nears its limit, and every key
 * of an exact limit, is counted in the database request by request.
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { store, limits, clock, log, maxKeys = 50_000 } = options;
  const windows = new Map<string, Window>();
  /** Counts of minutes that ended before they were told. */
  const outbox = new Map<string, RateCount>();
  const names: readonly CountedName[] = [...rateLimitNames, ...ownLimitNames];
  const refused = Object.fromEntries(names.map((name) => [name, 0])) as Record<CountedName, number>;
  const reported = new Map<CountedName, number>();
  let sweptMinute = 0;

  function windowOf(key: string, minute: number): Window | undefined {
    const known = windows.get(key);
    if (known === undefined) {
      // So many addresses at once are beyond what limits per address can stop; load shedding remains.
      if (windows.size >= maxKeys) return undefined;
      const created = emptyWindow(minute);
      windows.set(key, created);
      return created;
    }
    if (minute > known.minute) roll(key, known, minute);
    return known;
  }

  function roll(key: string, window: Window, minute: number): void {
    if (window.pending > 0) post({ key, minute: window.minute, count: window.pending });
    window.previous = window.minute === minute - 1 ? countOf(window) : 0;
    Object.assign(window, { minute, shared: 0, pending: 0, inFlight: 0 });
  }

  function post({ key, minute, count }: RateCount): void {
    const id = `${key} ${minute}`;
    outbox.set(id, { key, minute, count: count + (outbox.get(id)?.count ?? 0) });
  }

  function learn({ key, minute, count, previous }: SharedRateCount, told: number): void {
    const window = windows.get(key);
    if (window === undefined) return;
    if (window.minute === minute + 1) window.previous = Math.max(window.previous, count);
    if (window.minute !== minute) return;
    window.inFlight = Math.max(window.inFlight - told, 0);
    window.shared = Math.max(window.shared, count);
    window.previous = Math.max(window.previous, previous);
  }

  /** Sends counts; when that fails they are kept for the next time. */
  async function tell(counts: readonly RateCount[]): Promise<readonly SharedRateCount[]> {
    try {
      const told = new Map(counts.map(({ key, minute, count }) => [`${key} ${minute}`, count]));
      const answer = await store.add(counts);
      for (const shared of answer) learn(shared, told.get(`${shared.key} ${shared.minute}`) ?? 0);
      return answer;
    } catch (error) {
      for (const { key, minute, count } of counts) {
        const window = windows.get(key);
        if (window?.minute !== minute) post({ key, minute, count });
        else {
          window.inFlight = Math.max(window.inFlight - count, 0);
          window.pending += count;
        }
      }
      throw error;
    }
  }

  /** Returns the number of this request among those of all processes in this minute. */
  async function takeExactly(key: string, window: Window, cost: number): Promise<number> {
    const { minute } = window;
    const count = window.pending + cost;
    window.pending = 0;
    window.inFlight += count;
    const [shared] = await tell([{ key, minute, count }]);
    window.previous = Math.max(window.previous, shared?.previous ?? 0);
    return shared?.count ?? 0;
  }

  interface Limit {
    readonly name: CountedName;
    readonly perMinute: number;
  }

  function refuse({ name, perMinute }: Limit, key: string, window: Window): RateLimitedError {
    const seconds = secondsUntilFree(window, perMinute, clock());
    refused[name] += 1;
    if (reported.get(name) !== window.minute) {
      reported.set(name, window.minute);
      log.warn({ code: "RATE_LIMITED", limit: name, key, perMinute }, "Requests are refused with 429.");
    }
    return new RateLimitedError(name, seconds);
  }

  function sweep(minute: number): void {
    if (minute === sweptMinute) return;
    sweptMinute = minute;
    for (const [key, window] of windows) {
      if (window.minute < minute - 1 && window.pending === 0) windows.delete(key);
    }
  }

  async function sync(): Promise<void> {
    for (const batch of batches([...outbox])) {
      for (const [id] of batch) outbox.delete(id);
      // oxlint-disable-next-line no-await-in-loop -- one statement at a time is enough
      await tell(batch.map(([, count]) => count));
    }
    for (const batch of batches([...windows].filter(([, { pending }]) => pending > 0))) {
      const counts = batch.map(([key, window]) => ({ key, minute: window.minute, count: window.pending }));
      for (const [, window] of batch) {
        window.inFlight += window.pending;
        window.pending = 0;
      }
      // oxlint-disable-next-line no-await-in-loop -- one statement at a time is enough
      await tell(counts);
    }
    sweep(minuteOf(clock()));
  }

  async function takeOne(limit: Limit, subject: string, wanted = 1): Promise<void> {
    const { name, perMinute } = limit;
    // What costs more than there is would never be let through.
    const cost = Math.min(wanted, perMinute);
    const now = clock();
    const key = `${name} ${subject}`;
    const minute = minuteOf(now);
    // A flood of keys must not switch off what stops guessing: then the database alone counts.
    const window = windowOf(key, minute) ?? (exactLimits.has(name) ? emptyWindow(minute) : undefined);
    if (window === undefined) return;
    const used = usedOf(window, now);
    if (used + cost > perMinute) throw refuse(limit, key, window);
    if (!exactLimits.has(name) && used < perMinute * localShare) {
      window.pending += cost;
      return;
    }
    const number = await takeExactly(key, window, cost);
    if (previousPart(window, now) + number > perMinute) throw refuse(limit, key, window);
  }

  const loop = createLoop({
    everySeconds: syncSeconds,
    work: sync,
    onError: (err, runs) =>
      log.warn({ code: "RATE_LIMIT_SYNC_FAILED", ...runs, err }, "Counts could not be shared; trying again."),
  });
  return {
    ...loop,
    sync,
    refused: () => ({ ...refused }),
    async take(name, subject, cost) {
      if (limits !== undefined) await takeOne({ name, perMinute: limits[name] }, subject, cost);
    },
    takeOwn: ({ name, key, perMinute }) => takeOne({ name, perMinute }, key),
  };
}

function batches<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / batchSize);
  return Array.from({ length: count }, (_, index) => items.slice(index * batchSize, (index + 1) * batchSize));
}
