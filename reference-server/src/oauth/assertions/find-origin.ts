import { checkSignature, JwtError, parseJwt } from "@authz/dpop/jwt";
import type { IdentityProvider } from "../../store/identity-providers.js";
import type { Store } from "../../store/store.js";
import type { Keys } from "../keys/keys.js";
import { tokenHeaders } from "../tokens/claims.js";
import type { ProviderKeys } from "./provider-keys.js";
import { maxAssertionBytes, type ReadAssertion } from "./read-assertion.js";

/** Who vouches for an assertion: this server, or a provider whose assertions are accepted. */
export type AssertionOrigin =
  | { readonly kind: "own" }
  | { readonly kind: "provider"; readonly provider: IdentityProvider }
  /** Nobody who may; `reason` is for logs. */
  | { readonly kind: "nobody"; readonly reason: string };

export interface OriginSources {
  readonly store: Pick<Store, "identityProviders">;
  /** Of this server. */
  readonly issuer: string;
  readonly keys: Pick<Keys, "publicKey">;
  readonly providerKeys: ProviderKeys;
}

/**
 * Finds out who issued an assertion, and proves it with their key.
 *
 * @throws {OAuthError} `temporarily_unavailable`: the issuer's keys cannot be fetched.
 */
export async function findOrigin(
  assertion: ReadAssertion,
  { store, issuer, keys, providerKeys }: OriginSources,
): Promise<AssertionOrigin> {
  if (assertion.issuer === issuer) return verifyOwn(assertion, keys);
  const provider = await store.identityProviders.findAsserting(assertion.issuer);
  if (provider === undefined || !provider.enabled) return { kind: "nobody", reason: "assertion_issuer" };
  return (await providerKeys.isSigned(assertion.token, provider))
    ? { kind: "provider", provider }
    : { kind: "nobody", reason: "assertion_signature" };
}

function verifyOwn({ token }: ReadAssertion, keys: Pick<Keys, "publicKey">): AssertionOrigin {
  try {
    const jwt = parseJwt(token, { type: tokenHeaders.identityAssertion, maxBytes: maxAssertionBytes });
    checkSignature(jwt, keys.publicKey(jwt.kid));
    return { kind: "own" };
  } catch (error) {
    if (error instanceof JwtError) return { kind: "nobody", reason: `assertion_${error.reason}` };
    throw error;
  }
}
