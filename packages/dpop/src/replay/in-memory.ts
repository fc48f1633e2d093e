import type { Cluster } from "node:cluster";
import { type Clock, nowInSeconds, systemClock } from "../clock.js";
import { ReplayStoreUnavailableError } from "../errors.js";
import { sha256Base64url } from "../jws/base64url.js";
import { requireClock, requireInteger, requireKnownOptions } from "../options.js";
import { DigestSet, KeyDigest } from "./digest-set.js";
import type { ReplayStore } from "./replay-store.js";

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
  const { maxEntries = 1_000_000, clock = systemClock } = options;
  requireInteger("inMemory: maxEntries", maxEntries, { min: 1, max: 10_000_000 });
  requireClock("inMemory", clock);
  if (isClusterWorker()) warnAboutSeveralProcesses();
  return Object.freeze(new InMemoryStore(maxEntries, clock));
}

/** What `spendProof` makes of a proof for stores that are not in this process: a hash. */
const hashOfProof = /^[\w-]{43}$/;

/** Records the use of a proof and says whether it was the first one. */
type ConsumeProof = (thumbprint: string, jti: string, expiresAt: number) => boolean;

// Of the whole process: bundlers make several copies of this module, and all of them may use one store.
const consumeProof = Symbol.for("@authz/dpop: consumeProof");

/** How a store that `inMemory` returned records proofs; undefined for every other store. The answer is checked like that of `consume`. */
export function proofConsumerOf(store: ReplayStore): ConsumeProof | undefined {
  return Object.hasOwn(store, consumeProof)
    ? (store as { [consumeProof]?: ConsumeProof })[consumeProof]
    : undefined;
}

/** Whether a store is the one that `inMemory` returned, which no other process shares. */
export function isInMemory(store: ReplayStore): boolean {
  return Object.hasOwn(store, consumeProof);
}

/** The store that `inMemory` returns. Its keys never leave the process, so those of proofs need not be hashed. */
class InMemoryStore implements ReplayStore {
  readonly #maxEntries: number;
  readonly #clock: Clock;
  readonly #digest = new KeyDigest();
  readonly #short = new TwoGenerations();
  readonly #long = new TwoGenerations();
  /** Since a proof came hashed, through a store in front of this one, all are recorded so: in two forms, one would be new twice. */
  #hashesProofs = false;
  /** The last second of the proofs that were recorded as they are. */
  #plainUntil = -1;

  constructor(maxEntries: number, clock: Clock) {
    this.#maxEntries = maxEntries;
    this.#clock = clock;
    // Not enumerable: what is made of a copy of this store is another one, and wants to see every record.
    const value: ConsumeProof = (thumbprint, jti, expiresAt) =>
      this.#consumeProof(thumbprint, jti, expiresAt);
    Object.defineProperty(this, consumeProof, { value });
  }

  readonly consume: ReplayStore["consume"] = ({ key, expiresAt }) => {
    if (hashOfProof.test(key)) this.#expectHashedProofs();
    return this.#consume(key, expiresAt);
  };

  #consumeProof(thumbprint: string, jti: string, expiresAt: number): boolean {
    this.#digest.computeJoined(thumbprint, jti);
    if (this.#hashesProofs) {
      return !this.#isKnown() && this.#consume(sha256Base64url(`${thumbprint}.${jti}`), expiresAt);
    }
    if (expiresAt > this.#plainUntil) this.#plainUntil = expiresAt;
    return this.#record(expiresAt);
  }

  #expectHashedProofs(): void {
    this.#hashesProofs = true;
    if (this.#plainUntil < nowInSeconds(this.#clock)) return;
    throw new ReplayStoreUnavailableError(
      "This in-memory replay store was used as it is, and is now used through another store. The proofs that it holds have to expire first.",
    );
  }

  #consume(key: string, expiresAt: number): boolean {
    this.#digest.compute(key);
    return this.#record(expiresAt);
  }

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

/** What was forgotten while the clock was ahead must not be new now. The text stays the same throughout, so that a log can count it. */
function clockSetBack(forgottenThrough: number): ReplayStoreUnavailableError {
  const until = new Date(forgottenThrough * 1000).toISOString();
  return new ReplayStoreUnavailableError(
    `The clock of this process was ahead and was set back. What was used in between is forgotten, so the in-memory replay store refuses everything until ${until} at the latest. Restart the process to go on at once.`,
  );
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
