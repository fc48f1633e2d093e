import type { CompactVerifyGetKey } from "jose";
import { type JsonObject, parseStrictJsonObject } from "@authz/dpop/jws";
import type { OutboundFetch } from "../platform/outbound/outbound-fetch.js";
import { OAuthError } from "../protocol/oauth-error.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import { cooldownSeconds, createKeySets, loadJose } from "./key-sets.js";

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

/** Asymmetric algorithms only: neither `none` nor a shared secret. */
export const providerAlgorithms: readonly string[] = ["RS256", "ES256", "EdDSA"];

/** Creates the cache of all providers' keys, which are fetched through the outbound guard. */
export function createProviderKeys({ outboundFetch, clock }: ProviderKeysOptions): ProviderKeys {
  const keySets = createKeySets({ algorithms: providerAlgorithms, clock, unavailable: keysUnavailable });
  return {
    isSigned(token, provider) {
      const { id, issuer, discoveryUrl } = provider;
      const address = JSON.stringify([issuer, discoveryUrl]);
      return keySets.isSigned(token, { id, address, fetch: () => fetchKeys(provider, outboundFetch) });
    },
  };
}

async function fetchKeys(
  { issuer, discoveryUrl }: KeyedProvider,
  fetch: OutboundFetch,
): Promise<CompactVerifyGetKey> {
  const address = discoveryUrl ?? `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const metadata = await fetchJson(address, fetch);
  // OpenID Connect Discovery §4.3
  if (!isSameUrl(metadata["issuer"], issuer)) throw new TypeError("The metadata belongs to another issuer.");
  const { jwks_uri: keysUrl } = metadata;
  if (typeof keysUrl !== "string") throw new TypeError("The metadata names no key set.");
  return await fetchKeySet(keysUrl, fetch);
}

/** Fetches the key set at an address. */
export async function fetchKeySet(keysUrl: string, fetch: OutboundFetch): Promise<CompactVerifyGetKey> {
  const { createLocalJWKSet } = await loadJose();
  return createLocalJWKSet(
    (await fetchJson(keysUrl, fetch)) as unknown as Parameters<typeof createLocalJWKSet>[0],
  );
}

export async function fetchJson(url: string, fetch: OutboundFetch): Promise<JsonObject> {
  const response = await fetch(url, { headers: { accept: "application/json" } });
  if (response.status !== 200) throw new TypeError(`${new URL(url).host} answered with ${response.status}.`);
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
