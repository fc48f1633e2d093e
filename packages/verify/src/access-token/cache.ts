import type { Auth } from "../decision.js";

/** An access token that this service accepts, in the form that requests need. */
export interface VerifiedToken {
  readonly auth: Auth;
  readonly scopes: ReadonlySet<string>;
  /** The key that has to make the proofs; undefined for a Bearer token. */
  readonly keyThumbprint: string | undefined;
}

/** Limits of the cache. Half of each belongs to the newer generation. */
export interface TokenCacheLimits {
  readonly maximumEntries: number;
  readonly maximumBytes: number;
}

/** Remembers verified access tokens by their hash, until they expire. */
export interface TokenCache {
  get(hash: string, nowSeconds: number): VerifiedToken | undefined;
  set(hash: string, token: VerifiedToken, entry: CacheEntryOptions): void;
}

/** What the cache has to know about an entry. */
export interface CacheEntryOptions {
  /** About how much memory it takes. */
  readonly bytes: number;
  /** The second in which it is forgotten, at the latest that in which the token ends. */
  readonly until: number;
}

interface Entry {
  readonly token: VerifiedToken;
  readonly until: number;
}

interface Generation {
  readonly entries: Map<string, Entry>;
  bytes: number;
  /** When the longest-lived entry is forgotten. */
  until: number;
}

const defaultLimits: TokenCacheLimits = { maximumEntries: 20_000, maximumBytes: 32 * 1024 * 1024 };

/**
 * Creates a cache in two generations: when the newer one is full, the older one is dropped as a whole.
 *
 * An entry costs a valid access token, so nobody can evict the entries of others for free.
 */
export function createTokenCache(limits: TokenCacheLimits = defaultLimits): TokenCache {
  let newer = createGeneration();
  let older = createGeneration();

  function isFull(bytes: number): boolean {
    return newer.entries.size >= limits.maximumEntries / 2 || newer.bytes + bytes > limits.maximumBytes / 2;
  }

  function set(hash: string, token: VerifiedToken, { bytes, until }: CacheEntryOptions): void {
    if (isFull(bytes)) {
      older = newer;
      newer = createGeneration();
    }
    newer.entries.set(hash, { token, until });
    newer.bytes += bytes;
    newer.until = Math.max(newer.until, until);
  }

  return {
    get(hash, nowSeconds) {
      if (older.entries.size > 0 && older.until <= nowSeconds) older = createGeneration();
      const entry = newer.entries.get(hash) ?? older.entries.get(hash);
      if (entry === undefined) return undefined;
      if (entry.until > nowSeconds) return entry.token;
      newer.entries.delete(hash);
      older.entries.delete(hash);
      return undefined;
    },
    set,
  };
}

function createGeneration(): Generation {
  return { entries: new Map(), bytes: 0, until: 0 };
}
