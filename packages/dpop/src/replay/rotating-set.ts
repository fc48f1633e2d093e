interface Bucket {
  readonly keys: Set<string>;
  lastExpiry: number;
}

/**
 * A set that forgets expired keys without ever walking over them: two buckets, of which the older one is dropped
 * as a whole once its last key has expired.
 */
export class RotatingSet {
  #current: Bucket = createBucket();
  #previous: Bucket = createBucket();

  get size(): number {
    return this.#current.keys.size + this.#previous.keys.size;
  }

  has(key: string): boolean {
    return this.#current.keys.has(key) || this.#previous.keys.has(key);
  }

  add(key: string, expiresAt: number): void {
    this.#current.keys.add(key);
    if (expiresAt > this.#current.lastExpiry) this.#current.lastExpiry = expiresAt;
  }

  /** Drops the older bucket when all of it has expired. A key is kept through the second of its expiry. */
  forgetExpired(nowSeconds: number): void {
    if (this.#previous.lastExpiry >= nowSeconds) return;
    if (this.#previous.keys.size === 0 && this.#current.keys.size === 0) return;
    this.#previous = this.#current;
    this.#current = createBucket();
  }
}

function createBucket(): Bucket {
  return { keys: new Set(), lastExpiry: -1 };
}
