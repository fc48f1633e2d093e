import type { ProofKeyHandle } from "@authz/dpop";
import { sha256Base64url } from "@authz/dpop/jws";
import type { Auth, Policy } from "../decision.js";

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
  /** The last policy whose scopes it was found to have. */
  metPolicy: Policy | undefined;
}

/** Limits of the cache. Half of each belongs to the newer generation. */
export interface TokenCacheLimits {
  readonly maximumEntries: number;
  readonly maximumBytes: number;
}

/** Remembers verified access tokens until they expire. */
export interface TokenCache {
  get(token: string, nowSeconds: number): KnownToken | undefined;
  /** The same, for the line `DPoP`, a space, and a token that is bound to a key; undefined for every other line. */
  getByLine(line: string, nowSeconds: number): KnownToken | undefined;
  set(token: string, known: KnownToken, entry: CacheEntryOptions): void;
}

/** What the cache has to know about an entry. */
interface CacheEntryOptions {
  /** About how much memory it takes. */
  readonly bytes: number;
  /** The second in which it is forgotten, at the latest that in which the token ends. */
  readonly until: number;
}

interface Entry {
  /** The `Authorization` line of a request with the token. Undefined for a Bearer token, whose hash is the key of the entry. */
  readonly line: string | undefined;
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

/** Much shorter than a hash, so that the two kinds of keys never meet, and long enough to tell signatures apart. */
const endLength = 12;

/**
 * Creates a cache in two generations: when the newer one is full, the older one is dropped as a whole.
 *
 * An entry costs a valid access token, so nobody can evict the entries of others for free.
 *
 * A token that is bound to a key is found by its end, which is part of its signature, and compared in full, with the line that it
 * came in: that takes less than cutting it out and hashing it. A Bearer token is worth something to whoever reads this process's memory, so only its hash is kept.
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

  function getByLine(line: string, nowSeconds: number): KnownToken | undefined {
    if (older.entries.size > 0 && older.until <= nowSeconds) older = createGeneration();
    const entry = find(line.slice(-endLength), nowSeconds);
    return entry?.line === line ? entry.known : undefined;
  }

  return {
    getByLine,
    get: (token, nowSeconds) =>
      getByLine(lineOf(token), nowSeconds) ?? find(sha256Base64url(token), nowSeconds)?.known,
    set(token, known, { bytes, until }) {
      if (isFull(bytes)) {
        older = newer;
        newer = createGeneration();
      }
      const isBound = known.verified.keyThumbprint !== undefined;
      const line = isBound ? copyOf(lineOf(token)) : undefined;
      newer.entries.set(line?.slice(-endLength) ?? known.hash, { line, known, until });
      newer.bytes += bytes;
      newer.until = Math.max(newer.until, until);
    },
  };
}

function lineOf(token: string): string {
  return `DPoP ${token}`;
}

/** In one piece: a string that is put together, or cut out of another, keeps the others in memory. Verified tokens are ASCII. */
function copyOf(line: string): string {
  return Buffer.from(line, "latin1").toString("latin1");
}

function createGeneration(): Generation {
  return { entries: new Map(), bytes: 0, until: 0 };
}
