import { type Clock, nowInSeconds } from "../clock.js";
import { ReplayStoreUnavailableError } from "../errors.js";
import { requireClock, requireInteger, requireKnownOptions } from "../options.js";
import { digestOf } from "./digest.js";
import type { ReplayRecord, ReplayStore } from "./replay-store.js";
import { RotatingSet } from "./rotating-set.js";
import { isClusterWorker, warnAboutSeveralProcesses } from "./several-processes.js";

export interface InMemoryOptions {
  /** How many keys are remembered at most. 1,000,000 by default, about 70 MB when full. */
  maxEntries?: number;
  clock?: Clock;
}

// Proofs live about a minute, assertions minutes. Kept apart, a few long-lived keys do not hold on to many short-lived ones.
const shortLifeSeconds = 90;

/**
 * Remembers uses in this process only: right for one process, for development and for tests.
 *
 * When it is full it throws instead of forgetting something that could still be replayed. A cluster worker that uses
 * it gets a process warning, because its neighbours would accept the same proof again.
 *
 * @throws {TypeError} An option is malformed or unknown.
 */
export function inMemory(options: InMemoryOptions = {}): ReplayStore {
  requireKnownOptions("inMemory", options, ["maxEntries", "clock"]);
  const { maxEntries = 1_000_000, clock = Date.now } = options;
  requireInteger("inMemory: maxEntries", maxEntries, { min: 1, max: 10_000_000 });
  requireClock("inMemory", clock);
  if (isClusterWorker()) warnAboutSeveralProcesses();

  const short = new RotatingSet();
  const long = new RotatingSet();

  return Object.freeze({
    consume({ key, expiresAt }: ReplayRecord): boolean {
      const now = nowInSeconds(clock);
      short.forgetExpired(now);
      long.forgetExpired(now);
      // Only for a clock that was ahead and is set back: what was forgotten then must not be new now.
      if (expiresAt <= Math.max(short.forgottenThrough, long.forgottenThrough)) return false;
      const digest = digestOf(key);
      if (short.has(digest) || long.has(digest)) return false;
      if (short.size + long.size >= maxEntries) {
        throw new ReplayStoreUnavailableError(
          `The in-memory replay store is full (${maxEntries} entries). Raise maxEntries, or use a shared store.`,
        );
      }
      (expiresAt - now <= shortLifeSeconds ? short : long).add(digest, expiresAt);
      return true;
    },
  });
}
