import type { VerifiedToken } from "./verify.js";

/** Limits of the cache. Half of each belongs to the newer generation. */
export interface TokenCacheLimits {
  readonly maximumEntries: number;
  readonly maximumBytes: number;
}

/** Remembers verified access tokens under the hash of their text, until they expire. */
export interface TokenCache {
  get(hash: string, nowSeconds: number): VerifiedToken | undefined;
  /** @param bytes - about how much memory the entry takes */
  set(hash: string, token: VerifiedToken, bytes: number): void;
}

interface Generation {
  readonly entries: Map<string, VerifiedToken>;
  bytes: number;
  /** When the longest-lived entry ends. */
  lastExpiry: number;
}

const defaultLimits: TokenCacheLimits = { maximumEntries: 20_000, maximumBytes: 32 * 1024 * 1024 };

/**
 * Creates a cache in two generations: when the newer one is full, the older one is dropped as a whole.
 *
 * It costs a valid access token to fill a place, so nobody evicts the entries of others for free.
 */
export function createTokenCache(limits: TokenCacheLimits = defaultLimits): TokenCache {
  let newer = createGeneration();
  let older = createGeneration();

  function isFull(bytes: number): boolean {
    return newer.entries.size >= limits.maximumEntries / 2 || newer.bytes + bytes > limits.maximumBytes / 2;
  }

  function set(hash: string, token: VerifiedToken, bytes: number): void {
    if (isFull(bytes)) {
      older = newer;
      newer = createGeneration();
    }
    newer.entries.set(hash, token);
    newer.bytes += bytes;
    newer.lastExpiry = Math.max(newer.lastExpiry, token.auth.expiresAt);
  }

  return {
    get(hash, nowSeconds) {
      if (older.entries.size > 0 && older.lastExpiry <= nowSeconds) older = createGeneration();
      const token = newer.entries.get(hash) ?? older.entries.get(hash);
      if (token === undefined) return undefined;
      if (token.auth.expiresAt > nowSeconds) return token;
      newer.entries.delete(hash);
      older.entries.delete(hash);
      return undefined;
    },
    set,
  };
}

function createGeneration(): Generation {
  return { entries: new Map(), bytes: 0, lastExpiry: 0 };
}
