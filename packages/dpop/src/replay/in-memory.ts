import type { Cluster } from "node:cluster";
import { type Clock, nowInSeconds } from "../clock.js";
import { ReplayStoreUnavailableError } from "../errors.js";
import { requireClock, requireInteger, requireKnownOptions } from "../options.js";
import { DigestSet, KeyDigest } from "./digest-set.js";
import type { ReplayRecord, ReplayStore } from "./replay-store.js";

export interface InMemoryOptions {
  /** How many keys are remembered at most. 1,000,000 by default, about 64 MB when full. */
  maxEntries?: number;
  clock?: Clock;
}

// Proofs live about a minute, assertions minutes. Kept apart, a few long-lived keys do not hold on to many short-lived ones.
const shortLifeSeconds = 90;

/**
 * Remembers uses in this process only: right for one process, for development and for tests.
 *
 * When full, it throws rather than forget something that could still be replayed. In a cluster worker it emits a
 * process warning, because the other workers would accept the same proof again.
 *
 * @throws {TypeError} An option is malformed or unknown.
 */
export function inMemory(options: InMemoryOptions = {}): ReplayStore {
  requireKnownOptions("inMemory", options, ["maxEntries", "clock"]);
  const { maxEntries = 1_000_000, clock = Date.now } = options;
  requireInteger("inMemory: maxEntries", maxEntries, { min: 1, max: 10_000_000 });
  requireClock("inMemory", clock);
  if (isClusterWorker()) warnAboutSeveralProcesses();

  const digest = new KeyDigest();
  const short = new TwoGenerations();
  const long = new TwoGenerations();

  return Object.freeze({
    consume({ key, expiresAt }: ReplayRecord): boolean {
      const now = nowInSeconds(clock);
      short.forgetExpired(now);
      long.forgetExpired(now);
      // Only for a clock that was ahead and is set back: what was forgotten then must not be new now.
      if (expiresAt <= Math.max(short.forgottenThrough, long.forgottenThrough)) return false;
      digest.compute(key);
      if (short.has(digest.sums) || long.has(digest.sums)) return false;
      if (short.size + long.size >= maxEntries) {
        throw new ReplayStoreUnavailableError(
          `The in-memory replay store is full (${maxEntries} entries). Raise maxEntries, or use a shared store.`,
        );
      }
      (expiresAt - now <= shortLifeSeconds ? short : long).add(digest.sums, expiresAt);
      return true;
    },
  });
}

/** Forgets expired keys without ever walking over them: the older set is dropped whole once its last key has expired. */
class TwoGenerations {
  #newer = new DigestSet();
  #older = new DigestSet();
  #newerUntil = -1;
  #olderUntil = -1;
  /** What expired until then may have been here. */
  forgottenThrough = -1;

  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  has(sums: Float64Array): boolean {
    return this.#newer.has(sums) || this.#older.has(sums);
  }

  add(sums: Float64Array, expiresAt: number): void {
    this.#newer.add(sums);
    if (expiresAt > this.#newerUntil) this.#newerUntil = expiresAt;
  }

  /** A key is kept through the second of its expiry. */
  forgetExpired(nowSeconds: number): void {
    if (this.#olderUntil >= nowSeconds || this.size === 0) return;
    this.forgottenThrough = Math.max(this.forgottenThrough, this.#olderUntil);
    const forgotten = this.#older;
    this.#older = this.#newer;
    this.#olderUntil = this.#newerUntil;
    forgotten.clear();
    this.#newer = forgotten;
    this.#newerUntil = -1;
  }
}

/** Whether this process is one of several that `node:cluster` (or PM2 in cluster mode) started. */
export function isClusterWorker(): boolean {
  // Asked for only here: importing node:cluster costs every short-lived command some milliseconds.
  return (process.getBuiltinModule("node:cluster") as unknown as Cluster).isWorker;
}

let warned = false;

/** Says once per process that its neighbors do not know what it remembers. */
export function warnAboutSeveralProcesses(): void {
  if (warned) return;
  warned = true;
  process.emitWarning(
    "inMemory() remembers used proofs in this process only, but this process is a cluster worker: a proof could be used once per worker. Use @authz/replay-postgres or @authz/replay-redis.",
    { type: "AuthzWarning", code: "AUTHZ_REPLAY_IN_MEMORY" },
  );
}
