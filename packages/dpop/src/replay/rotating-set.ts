import { DigestSet } from "./digest-set.js";

interface Bucket {
  readonly digests: DigestSet;
  lastExpiry: number;
}

/**
 * A set that forgets expired digests without ever walking over them: two buckets, of which the older one is dropped
 * as a whole once its last digest has expired.
 */
export class RotatingSet {
  #current: Bucket = createBucket();
  #previous: Bucket = createBucket();
  #forgottenThrough = -1;

  /** What expired until then may have been here. */
  get forgottenThrough(): number {
    return this.#forgottenThrough;
  }

  get size(): number {
    return this.#current.digests.size + this.#previous.digests.size;
  }

  has(digest: Uint32Array): boolean {
    return this.#current.digests.has(digest) || this.#previous.digests.has(digest);
  }

  add(digest: Uint32Array, expiresAt: number): void {
    this.#current.digests.add(digest);
    if (expiresAt > this.#current.lastExpiry) this.#current.lastExpiry = expiresAt;
  }

  /** Drops the older bucket when all of it has expired. A digest is kept through the second of its expiry. */
  forgetExpired(nowSeconds: number): void {
    if (this.#previous.lastExpiry >= nowSeconds) return;
    if (this.size === 0) return;
    this.#forgottenThrough = Math.max(this.#forgottenThrough, this.#previous.lastExpiry);
    this.#previous = this.#current;
    this.#current = createBucket();
  }
}

function createBucket(): Bucket {
  return { digests: new DigestSet(), lastExpiry: -1 };
}
