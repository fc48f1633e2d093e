import type { CompactVerifyGetKey } from "jose";
import type { OAuthError } from "../protocol/oauth-error.js";

/** Where the keys of one signer come from. */
interface KeySource {
  /** Of the signer. */
  readonly id: string;
  /** With another address the cached keys are dropped. */
  readonly address: string;
  readonly fetch: () => Promise<CompactVerifyGetKey>;
}

/** The cached key sets of other parties. */
export interface KeySets {
  /**
   * Verifies the signature of a compact JWS, whose form was checked before, with the signer's keys.
   *
   * @throws {OAuthError} The keys cannot be fetched, and none that are cached count any more.
   */
  isSigned(token: string, source: KeySource): Promise<boolean>;
}

export interface KeySetsOptions {
  /** Asymmetric ones only: neither `none` nor a shared secret. */
  readonly algorithms: readonly string[];
  readonly clock: () => number;
  /** The refusal while keys cannot be fetched. */
  readonly unavailable: (cause?: unknown) => OAuthError;
}

/** Lifetime of a cached key set, and so of a key that its signer has removed. */
const maxAgeSeconds = 600;

/** Minimum interval between fetches per signer, after a failure too. */
export const cooldownSeconds = 30;

interface KeySet {
  readonly getKey: CompactVerifyGetKey;
  readonly fetchedAt: number;
}

/** The cached keys of one signer. */
interface Entry {
  /** The addresses that the keys were fetched from. With others the entry is replaced. */
  readonly address: string;
  keys: KeySet | undefined;
  attemptedAt: number;
  hasFailed: boolean;
  pending: Promise<void> | undefined;
}

/**
 * Creates a cache of key sets: fetched with the first token, kept for ten minutes, and fetched again for an unknown key, at most twice a
 * minute.
 *
 * It is not jose's `createRemoteJWKSet`, which takes no clock, retries at once after a failure, and needs `jwks_uri` beforehand.
 */
export function createKeySets({ algorithms, clock, unavailable }: KeySetsOptions): KeySets {
  const entries = new Map<string, Entry>();

  function entryOf({ id, address }: KeySource): Entry {
    const found = entries.get(id);
    if (found?.address === address) return found;
    const attemptedAt = Number.NEGATIVE_INFINITY;
    const entry = { address, keys: undefined, attemptedAt, hasFailed: false, pending: undefined };
    entries.set(id, entry);
    return entry;
  }

  async function fetchInto(entry: Entry, source: KeySource): Promise<void> {
    entry.attemptedAt = clock();
    try {
      entry.keys = { getKey: await source.fetch(), fetchedAt: clock() };
      entry.hasFailed = false;
    } catch (cause) {
      entry.hasFailed = true;
      throw unavailable(cause);
    } finally {
      entry.pending = undefined;
    }
  }

  /** Fetches the keys unless an attempt was made a moment ago. Concurrent callers share one fetch. */
  async function refresh(entry: Entry, source: KeySource): Promise<void> {
    if (entry.pending === undefined && clock() - entry.attemptedAt < cooldownSeconds * 1000) {
      if (entry.hasFailed) throw unavailable();
      return;
    }
    entry.pending ??= fetchInto(entry, source);
    await entry.pending;
  }

  return {
    async isSigned(token, source) {
      const entry = entryOf(source);
      if (entry.keys === undefined || clock() - entry.keys.fetchedAt >= maxAgeSeconds * 1000) {
        await refresh(entry, source);
      }
      const cached = entry.keys;
      const outcome = await verify(token, cached, algorithms);
      if (outcome !== "unknown_key") return outcome === "signed";
      await refresh(entry, source);
      return entry.keys !== cached && (await verify(token, entry.keys, algorithms)) === "signed";
    },
  };
}

/** Loaded with the first token: most installations need none. */
export const loadJose = async () => await import("jose");

async function verify(
  token: string,
  keys: KeySet | undefined,
  algorithms: readonly string[],
): Promise<"signed" | "unknown_key" | "not_signed"> {
  if (keys === undefined) return "unknown_key";
  const { compactVerify, errors } = await loadJose();
  try {
    await compactVerify(token, keys.getKey, { algorithms: [...algorithms] });
    return "signed";
  } catch (error) {
    // Any other failure, of the signature or of a key in the set, means that no signature was verified.
    return error instanceof errors.JWKSNoMatchingKey ? "unknown_key" : "not_signed";
  }
}
