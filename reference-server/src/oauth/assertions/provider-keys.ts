import type { CompactVerifyGetKey } from "jose";
import { parseStrictJsonObject } from "@authz/dpop/jws";
import type { OutboundFetch } from "../../platform/outbound/outbound-fetch.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import type { IdentityProvider } from "../../store/identity-providers.js";

/** Where a provider's keys are found. */
type KeyedProvider = Pick<IdentityProvider, "id" | "issuer" | "discoveryUrl">;

/** The keys with which identity providers sign assertions. */
export interface ProviderKeys {
  /**
   * Whether one of the provider's keys has signed this compact JWS, whose form was checked before.
   *
   * @throws {OAuthError} `temporarily_unavailable`: its keys cannot be fetched, and none are known that are fresh enough.
   */
  isSigned(token: string, provider: KeyedProvider): Promise<boolean>;
}

export interface ProviderKeysOptions {
  readonly outboundFetch: OutboundFetch;
  readonly clock: () => number;
}

/** How long a key set counts: so long a key that its provider has taken out is still accepted. */
const keptSeconds = 600;

/** How often a provider is asked at most, whatever anybody sends. */
const pauseSeconds = 30;

/** No other: neither `none` nor a shared secret, and each only with a key of its own kind. */
const algorithms = ["RS256", "ES256", "EdDSA"];

interface KeySet {
  readonly getKey: CompactVerifyGetKey;
  readonly readAt: number;
}

/** What is known about the keys of one provider. */
interface Entry {
  /** What the keys depend on; at another address they are others. */
  readonly address: string;
  keys: KeySet | undefined;
  askedAt: number;
  /** Whether the last question had no answer. */
  isAway: boolean;
  pending: Promise<void> | undefined;
}

/**
 * Creates the key sets of all providers: fetched through the guard when the first assertion comes, kept for ten minutes, and asked
 * for again when a key is not among them, at most twice a minute.
 */
export function createProviderKeys({ outboundFetch, clock }: ProviderKeysOptions): ProviderKeys {
  const known = new Map<string, Entry>();

  function entryOf({ id, issuer, discoveryUrl }: KeyedProvider): Entry {
    const address = JSON.stringify([issuer, discoveryUrl]);
    const found = known.get(id);
    if (found?.address === address) return found;
    const entry: Entry = {
      address,
      keys: undefined,
      askedAt: Number.NEGATIVE_INFINITY,
      isAway: false,
      pending: undefined,
    };
    known.set(id, entry);
    return entry;
  }

  async function fetchInto(entry: Entry, provider: KeyedProvider): Promise<void> {
    entry.askedAt = clock();
    try {
      entry.keys = { getKey: await fetchKeySet(provider, outboundFetch), readAt: clock() };
      entry.isAway = false;
    } catch (cause) {
      entry.isAway = true;
      throw keysAway(cause);
    } finally {
      entry.pending = undefined;
    }
  }

  /** Asks the provider, unless it was asked a moment ago. Everybody who asks at the same time shares the answer. */
  async function refresh(entry: Entry, provider: KeyedProvider): Promise<void> {
    if (entry.pending === undefined && clock() - entry.askedAt < pauseSeconds * 1000) {
      if (entry.isAway) throw keysAway();
      return;
    }
    entry.pending ??= fetchInto(entry, provider);
    await entry.pending;
  }

  return {
    async isSigned(token, provider) {
      const entry = entryOf(provider);
      if (entry.keys === undefined || clock() - entry.keys.readAt >= keptSeconds * 1000) {
        await refresh(entry, provider);
      }
      const first = await verify(token, entry.keys);
      if (first !== "unknown_key") return first === "signed";
      const before = entry.keys;
      await refresh(entry, provider);
      return entry.keys !== before && (await verify(token, entry.keys)) === "signed";
    },
  };
}

/** Loaded with the first assertion: many a server never sees one. */
const loadJose = async () => await import("jose");

async function verify(
  token: string,
  keys: KeySet | undefined,
): Promise<"signed" | "unknown_key" | "not_signed"> {
  if (keys === undefined) return "unknown_key";
  const { compactVerify, errors } = await loadJose();
  try {
    await compactVerify(token, keys.getKey, { algorithms });
    return "signed";
  } catch (error) {
    // Whatever else is wrong, with the signature or with a key of the set: nobody has shown that it is signed.
    return error instanceof errors.JWKSNoMatchingKey ? "unknown_key" : "not_signed";
  }
}

async function fetchKeySet(
  { issuer, discoveryUrl }: KeyedProvider,
  fetch: OutboundFetch,
): Promise<CompactVerifyGetKey> {
  const address = discoveryUrl ?? `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const metadata = await fetchJson(address, fetch);
  // Whose word the document is (OpenID Connect Discovery §4.3).
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

/** It is no refusal of the assertion, which stays as good as it was. */
function keysAway(cause?: unknown): OAuthError {
  return new OAuthError(
    "temporarily_unavailable",
    "provider_keys_unavailable",
    "The keys of the assertion's issuer cannot be fetched, so it cannot be checked. Try again in a moment.",
    { retryAfterSeconds: pauseSeconds, cause },
  );
}
