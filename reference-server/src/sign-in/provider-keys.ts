import type { CompactVerifyGetKey } from "jose";
import { parseStrictJsonObject } from "@authz/dpop/jws";
import type { OutboundFetch } from "../platform/outbound/outbound-fetch.js";
import { OAuthError } from "../protocol/oauth-error.js";
import type { IdentityProvider } from "../store/identity-providers.js";

/** An issuer whose metadata names its key set; a transmitter's metadata is always at `discoveryUrl`. */
export type KeyedProvider = Pick<IdentityProvider, "id" | "issuer" | "discoveryUrl">;

/** The keys with which identity providers, and transmitters of their signals, sign what they send here. */
export interface ProviderKeys {
  /**
   * Verifies the signature of a compact JWS, whose form was checked before, with the provider's keys.
   *
   * @throws {OAuthError} `temporarily_unavailable`: the keys cannot be fetched, and none that are cached count any more.
   */
  isSigned(token: string, provider: KeyedProvider): Promise<boolean>;
}

export interface ProviderKeysOptions {
  readonly outboundFetch: OutboundFetch;
  readonly clock: () => number;
}

/** Lifetime of a cached key set, and so of a key that its provider has removed. */
const maxAgeSeconds = 600;

/** Minimum interval between fetches per provider, after a failure too. */
const cooldownSeconds = 30;

/** Asymmetric algorithms only: neither `none` nor a shared secret. */
export const providerAlgorithms: readonly string[] = ["RS256", "ES256", "EdDSA"];

interface KeySet {
  readonly getKey: CompactVerifyGetKey;
  readonly fetchedAt: number;
}

/** The cached keys of one provider. */
interface Entry {
  /** The addresses that the keys were fetched from. With others the entry is replaced. */
  readonly address: string;
  keys: KeySet | undefined;
  attemptedAt: number;
  hasFailed: boolean;
  pending: Promise<void> | undefined;
}

/**
 * Creates the cache of all providers' keys: fetched through the outbound guard with the first token, kept for ten minutes, and
 * fetched again for an unknown key, at most twice a minute.
 *
 * It is not jose's `createRemoteJWKSet`, which takes no clock, retries at once after a failure, and needs `jwks_uri` beforehand.
 */
export function createProviderKeys({ outboundFetch, clock }: ProviderKeysOptions): ProviderKeys {
  const entries = new Map<string, Entry>();

  function entryOf({ id, issuer, discoveryUrl }: KeyedProvider): Entry {
    const address = JSON.stringify([issuer, discoveryUrl]);
    const found = entries.get(id);
    if (found?.address === address) return found;
    const attemptedAt = Number.NEGATIVE_INFINITY;
    const entry = { address, keys: undefined, attemptedAt, hasFailed: false, pending: undefined };
    entries.set(id, entry);
    return entry;
  }

  async function fetchInto(entry: Entry, provider: KeyedProvider): Promise<void> {
    entry.attemptedAt = clock();
    try {
      entry.keys = { getKey: await fetchKeySet(provider, outboundFetch), fetchedAt: clock() };
      entry.hasFailed = false;
    } catch (cause) {
      entry.hasFailed = true;
      throw keysUnavailable(cause);
    } finally {
      entry.pending = undefined;
    }
  }

  /** Fetches the keys unless an attempt was made a moment ago. Concurrent callers share one fetch. */
  async function refresh(entry: Entry, provider: KeyedProvider): Promise<void> {
    if (entry.pending === undefined && clock() - entry.attemptedAt < cooldownSeconds * 1000) {
      if (entry.hasFailed) throw keysUnavailable();
      return;
    }
    entry.pending ??= fetchInto(entry, provider);
    await entry.pending;
  }

  return {
    async isSigned(token, provider) {
      const entry = entryOf(provider);
      if (entry.keys === undefined || clock() - entry.keys.fetchedAt >= maxAgeSeconds * 1000) {
        await refresh(entry, provider);
      }
      const cached = entry.keys;
      const outcome = await verify(token, cached);
      if (outcome !== "unknown_key") return outcome === "signed";
      await refresh(entry, provider);
      return entry.keys !== cached && (await verify(token, entry.keys)) === "signed";
    },
  };
}

/** Loaded with the first token: most installations accept none. */
const loadJose = async () => await import("jose");

async function verify(
  token: string,
  keys: KeySet | undefined,
): Promise<"signed" | "unknown_key" | "not_signed"> {
  if (keys === undefined) return "unknown_key";
  const { compactVerify, errors } = await loadJose();
  try {
    await compactVerify(token, keys.getKey, { algorithms: [...providerAlgorithms] });
    return "signed";
  } catch (error) {
    // Any other failure, of the signature or of a key in the set, means that no signature was verified.
    return error instanceof errors.JWKSNoMatchingKey ? "unknown_key" : "not_signed";
  }
}

async function fetchKeySet(
  { issuer, discoveryUrl }: KeyedProvider,
  fetch: OutboundFetch,
): Promise<CompactVerifyGetKey> {
  const address = discoveryUrl ?? `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const metadata = await fetchJson(address, fetch);
  // OpenID Connect Discovery §4.3
  if (!isSameUrl(metadata["issuer"], issuer)) throw new TypeError("The metadata belongs to another issuer.");
  const { jwks_uri: keysUrl } = metadata;
  if (typeof keysUrl !== "string") throw new TypeError("The metadata names no key set.");
  const { createLocalJWKSet } = await loadJose();
  return createLocalJWKSet(
    (await fetchJson(keysUrl, fetch)) as unknown as Parameters<typeof createLocalJWKSet>[0],
  );
}

async function fetchJson(url: string, fetch: OutboundFetch) {
  const response = await fetch(url, { headers: { accept: "application/json" } });
  if (response.status !== 200) throw new TypeError(`The provider answered with ${response.status}.`);
  return parseStrictJsonObject(new Uint8Array(await response.arrayBuffer()));
}

function isSameUrl(found: unknown, wanted: string): boolean {
  return typeof found === "string" && URL.canParse(found) && new URL(found).href === new URL(wanted).href;
}

/** Does not refuse the token, which can be sent again. */
function keysUnavailable(cause?: unknown): OAuthError {
  return new OAuthError(
    "temporarily_unavailable",
    "provider_keys_unavailable",
    "The issuer's keys cannot be fetched, so its signature cannot be checked. Try again in a moment.",
    { retryAfterSeconds: cooldownSeconds, cause },
  );
}
