import type { ProofKeyHandle } from "@authz/dpop";
import { sha256Base64url } from "@authz/dpop/jws";
import type { TransactionClaims } from "./transaction.js";
import type { Auth, Policy } from "../decision.js";

/** A verified access token. */
export interface VerifiedToken {
  readonly auth: Auth;
  readonly scopes: ReadonlySet<string>;
  /** The key of the proofs; undefined for a Bearer token. */
  readonly keyThumbprint: string | undefined;
  /** The entry in the issuer's token status list. */
  readonly statusIndex: number | undefined;
  /** The app's session at the authorization server. */
  readonly sessionId: string | undefined;
  /** The one call that the token is for. */
  readonly transaction: TransactionClaims | undefined;
}

/** A verified token with what its requests share. */
export interface KnownToken {
  readonly verified: VerifiedToken;
  /** SHA-256 of the token, which a proof's `ath` must equal. */
  readonly hash: string;
  /** The key of the last accepted proof. */
  proofKey: ProofKeyHandle | undefined;
  /** The last policy that its scopes met. */
  metPolicy: Policy | undefined;
}

/** Limits of the cache. Each generation gets half. */
export interface TokenCacheLimits {
  readonly maximumEntries: number;
  readonly maximumBytes: number;
}

/** Caches verified access tokens until they expire. */
export interface TokenCache {
  get(token: string, nowSeconds: number): KnownToken | undefined;
  /** The same for an `Authorization` line: `DPoP`, a space, and a bound token. Undefined for any other line. */
  getByLine(line: string, nowSeconds: number): KnownToken | undefined;
  set(token: string, known: KnownToken, entry: CacheEntryOptions): void;
}

/** The size and lifetime of an entry. */
interface CacheEntryOptions {
  /** Approximate memory. */
  readonly bytes: number;
  /** The second in which it is dropped, no later than the token's expiry. */
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
  /** Expiry of the longest-lived entry. */
  until: number;
}

const defaultLimits: TokenCacheLimits = { maximumEntries: 20_000, maximumBytes: 32 * 1024 * 1024 };

/** Much shorter than a hash, so that the two kinds of keys never collide, and long enough to distinguish signatures. */
const endLength = 12;

/**
 * Creates a cache in two generations: when the newer one is full, the older one is dropped as a whole.
 *
 * An entry requires a valid access token, so evicting the entries of others is never free.
 *
 * A bound token is found by its last characters, which are part of its signature, and compared in full as a header line: cheaper
 * than cutting the token out and hashing it. Of a Bearer token, which works without a key, only the hash is kept in memory.
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

/** A flat copy: a concatenated or sliced string keeps others in memory. Verified tokens are ASCII. */
function copyOf(line: string): string {
  return Buffer.from(line, "latin1").toString("latin1");
}

function createGeneration(): Generation {
  return { entries: new Map(), bytes: 0, until: 0 };
}
