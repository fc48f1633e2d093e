import type { ProofKeyHandle } from "@authz/dpop";
import { sha256Base64url } from "@authz/dpop/jws";
import type { Auth } from "../decision.js";

/** An access token that this service accepts, in the form that requests need. */
export interface VerifiedToken {
  readonly auth: Auth;
  readonly scopes: ReadonlySet<string>;
  /** The key that has to make the proofs; undefined for a Bearer token. */
  readonly keyThumbprint: string | undefined;
}

/** An accepted token with what the requests that are made with it have in common. */
export interface KnownToken {
  readonly verified: VerifiedToken;
  /** Its SHA-256, which is what a proof's `ath` has to be. */
  readonly hash: string;
  /** The key of the last accepted proof that came with it. */
  proofKey: ProofKeyHandle | undefined;
}

/** Limits of the cache. Half of each belongs to the newer generation. */
export interface TokenCacheLimits {
  readonly maximumEntries: number;
  readonly maximumBytes: number;
}

/** Remembers verified access tokens until they expire. */
export interface TokenCache {
  get(token: string, nowSeconds: number): KnownToken | undefined;
  /** The same, for a token that is bound to a key; undefined for others. */
  getBound(token: string, nowSeconds: number): KnownToken | undefined;
  set(token: string, known: KnownToken, entry: CacheEntryOptions): void;
}

/** What the cache has to know about an entry. */
export interface CacheEntryOptions {
  /** About how much memory it takes. */
  readonly bytes: number;
  /** The second in which it is forgotten, at the latest that in which the token ends. */
  readonly until: number;
}

interface Entry {
  /** As received. Undefined for a Bearer token, whose hash is the key of the entry. */
  readonly token: string | undefined;
  readonly known: KnownToken;
  readonly until: number;
}

interface Generation {
  readonly entries: Map<string, Entry>;
  bytes: number;
  /** When the longest-lived entry is forgotten. */
  until: number;
}

const defaultLimits: TokenCacheLimits = { maximumEntries: 20_000, maximumBytes: 32 * 1024 * 1024 };

/** Shorter than a hash, so that the two kinds of keys never meet. */
const endLength = 40;

/**
 * Creates a cache in two generations: when the newer one is full, the older one is dropped as a whole.
 *
 * An entry costs a valid access token, so nobody can evict the entries of others for free.
 *
 * A token that is bound to a key is found by its end, which is part of its signature, and compared in full: that takes less than
 * hashing it. A Bearer token is worth something to whoever reads this process's memory, so only its hash is kept.
 */
export function createTokenCache(limits: TokenCacheLimits = defaultLimits): TokenCache {
  let newer = createGeneration();
  let older = createGeneration();

  function isFull(bytes: number): boolean {
    return newer.entries.size >= limits.maximumEntries / 2 || newer.bytes + bytes > limits.maximumBytes / 2;
  }

  function find(key: string, nowSeconds: number): Entry | undefined {
    const entry = newer.entries.get(key) ?? older.entries.get(key);
    if (entry === undefined || entry.until > nowSeconds) return entry;
    newer.entries.delete(key);
    older.entries.delete(key);
    return undefined;
  }

  function getBound(token: string, nowSeconds: number): KnownToken | undefined {
    if (older.entries.size > 0 && older.until <= nowSeconds) older = createGeneration();
    const entry = find(token.slice(-endLength), nowSeconds);
    return entry?.token === token ? entry.known : undefined;
  }

  return {
    getBound,
    get: (token, nowSeconds) =>
      getBound(token, nowSeconds) ?? find(sha256Base64url(token), nowSeconds)?.known,
    set(token, known, { bytes, until }) {
      if (isFull(bytes)) {
        older = newer;
        newer = createGeneration();
      }
      const isBound = known.verified.keyThumbprint !== undefined;
      const copy = isBound ? copyOf(token) : undefined;
      newer.entries.set(copy?.slice(-endLength) ?? known.hash, { token: copy, known, until });
      newer.bytes += bytes;
      newer.until = Math.max(newer.until, until);
    },
  };
}

/** A part of a string keeps all of it in memory, here the whole header. Tokens that were verified are ASCII. */
function copyOf(token: string): string {
  return Buffer.from(token, "latin1").toString("latin1");
}

function createGeneration(): Generation {
  return { entries: new Map(), bytes: 0, until: 0 };
}
