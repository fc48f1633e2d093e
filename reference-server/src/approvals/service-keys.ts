import type { JsonObject } from "@authz/dpop/jws";
import { createKeySets, cooldownSeconds } from "../sign-in/key-sets.js";
import { fetchJson, fetchKeySet, type ProviderKeysOptions } from "../sign-in/provider-keys.js";
import type { OutboundFetch } from "../platform/outbound/outbound-fetch.js";
import { OAuthError } from "../protocol/oauth-error.js";
import type { Resource } from "../store/resources.js";

/** The keys with which services sign challenges and authenticate. */
export interface ServiceKeys {
  /** @throws {OAuthError} `temporarily_unavailable`: the keys cannot be fetched. */
  isSigned(token: string, service: Pick<Resource, "id" | "resource">): Promise<boolean>;
}

/** Creates the cache of all services' keys, which are fetched through the outbound guard. */
export function createServiceKeys({ outboundFetch, clock }: ProviderKeysOptions): ServiceKeys {
  const keySets = createKeySets({ algorithms: ["ES256"], clock, unavailable });
  return {
    isSigned: (token, { id, resource }) =>
      keySets.isSigned(token, {
        id,
        address: resource,
        fetch: async () => await fetchKeySet(await findKeySet(resource, outboundFetch), outboundFetch),
      }),
  };
}

const metadataPath = "/.well-known/oauth-protected-resource";

/**
 * The address of a service's key set, from its metadata (RFC 9728). Only on the service's own origin: keys from elsewhere would let
 * another party sign for it.
 */
async function findKeySet(resource: string, fetch: OutboundFetch): Promise<string> {
  const { origin, pathname } = new URL(resource);
  const below = pathname === "/" ? [] : [origin + metadataPath + pathname];
  let failure: unknown = new TypeError("The service publishes no metadata of its own.");
  for (const address of [origin + metadataPath, ...below]) {
    try {
      const metadata = await fetchJson(address, fetch);
      if (metadata["resource"] === resource) return readKeysUri(metadata, origin);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function readKeysUri({ txn_challenge_jwks_uri: uri }: JsonObject, origin: string): string {
  if (typeof uri === "string" && URL.canParse(uri) && new URL(uri).origin === origin) return uri;
  throw new TypeError("The metadata names no txn_challenge_jwks_uri on the origin of the service.");
}

/** Does not refuse the challenge, which can be sent again. */
function unavailable(cause?: unknown): OAuthError {
  return new OAuthError(
    "temporarily_unavailable",
    "service_keys_unavailable",
    "The keys of the service cannot be fetched from its txn_challenge_jwks_uri, so nothing of it can be checked. Try again in a moment.",
    { retryAfterSeconds: cooldownSeconds, cause },
  );
}
