import type { Cluster } from "node:cluster";
import { type Clock, nowInSeconds, systemClock } from "../clock.js";
import { ReplayStoreUnavailableError } from "../errors.js";
import { requireClock, requireInteger, requireKnownOptions } from "../options.js";
import { DigestSet, KeyDigest } from "./digest-set.js";
import type { ReplayStore } from "./replay-store.js";

export interface InMemoryOptions {
  /** Maximum number of keys. 1,000,000 by default, about 64 MB when full. */
  maxEntries?: number;
  clock?: Clock;
}

// Proofs live about a minute, assertions minutes. Separate sets, so that a few long-lived keys do not keep many short-lived ones.
const shortLifeSeconds = 90;

/**
 * Creates a replay store for one process, for development and for tests.
 *
 * When full, it throws instead of forgetting a proof that could still be replayed. In a cluster worker it emits a process
 * warning, because the other workers would accept the same proof again.
 *
 * @throws {TypeError} An option is malformed or unknown.
 */
export function inMemory(options: InMemoryOptions = {}): ReplayStore {
  requireKnownOptions("inMemory", options, ["maxEntries", "clock"]);
  const { maxEntries = 1_000_000, clock = systemClock } = options;
  requireInteger("inMemory: maxEntries", maxEntries, { min: 1, max: 10_000_000 });
  requireClock("inMemory", clock);
  if (isClusterWorker()) warnAboutSeveralProcesses();
  return Object.freeze(new InMemoryStore(maxEntries, clock));
}

/** Whether a store was made by `inMemory`, which no other process shares. */
export function isInMemory(store: ReplayStore): boolean {
  return store instanceof InMemoryStore;
}

class InMemoryStore implements ReplayStore {
  readonly #maxEntries: number;
  readonly #clock: Clock;
  readonly #digest = new KeyDigest();
  readonly #short = new TwoGenerations();
  readonly #long = new TwoGenerations();

  constructor(maxEntries: number, clock: Clock) {
    this.#maxEntries = maxEntries;
    this.#clock = clock;
  }

  readonly consume: ReplayStore["consume"] = ({ key, expiresAt }) => {
    this.#digest.compute(key);
    return this.#record(expiresAt);
  };

  /** Records the key whose digest was computed last. */
  #record(expiresAt: number): boolean {
    const short = this.#short;
    const long = this.#long;
    const now = nowInSeconds(this.#clock);
    short.forgetExpired(now);
    long.forgetExpired(now);
    if (this.#isKnown() || expiresAt < now) return false;
    const forgottenThrough = Math.max(short.forgottenThrough, long.forgottenThrough);
    if (expiresAt <= forgottenThrough) throw clockSetBack(forgottenThrough);
    if (short.size + long.size >= this.#maxEntries) {
      throw new ReplayStoreUnavailableError(
        `The in-memory replay store is full (${this.#maxEntries} entries). Raise maxEntries, or use a shared store.`,
      );
    }
    (expiresAt - now <= shortLifeSeconds ? short : long).add(this.#digest.sums, expiresAt);
    return true;
  }

  /** Whether the key whose digest was computed last is there. */
  #isKnown(): boolean {
    const { sums } = this.#digest;
    return this.#short.has(sums) || this.#long.has(sums);
  }
}

/** Proofs forgotten while the clock was ahead must not count as new. The text is constant, so that a log can count it. */
function clockSetBack(forgottenThrough: number): ReplayStoreUnavailableError {
  const until = new Date(forgottenThrough * 1000).toISOString();
  return new ReplayStoreUnavailableError(
    `The clock of this process was ahead and was set back. What was used in between is forgotten, so the in-memory replay store refuses everything until ${until} at the latest. Restart the process to go on at once.`,
  );
}

/** Forgets expired keys without iterating: the older set is dropped as a whole once its last key has expired. */
class TwoGenerations {
  #newer = new DigestSet();
  #older = new DigestSet();
  #newerUntil = -1;
  #olderUntil = -1;
  /** The latest expiry of the keys that were forgotten. */
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
  // Loaded here only, because importing node:cluster costs short-lived commands some milliseconds.
  return (process.getBuiltinModule("node:cluster") as unknown as Cluster).isWorker;
}

let warned = false;

/** Warns once per process that other workers do not share the store. */
export function warnAboutSeveralProcesses(): void {
  if (warned) return;
  warned = true;
  process.emitWarning(
    "inMemory() remembers used proofs in this process only, but this process is a cluster worker: a proof could be used once per worker. Use @authz/replay-postgres or @authz/replay-redis.",
    { type: "AuthzWarning", code: "AUTHZ_REPLAY_IN_MEMORY" },
  );
}
