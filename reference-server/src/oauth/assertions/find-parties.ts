import type { JsonObject } from "@authz/dpop/jws";
import { checkSignature, JwtError, parseJwt } from "@authz/dpop/jwt";
import {
  decideIdentity,
  isAccountIdentifier,
  isAllowedAddress,
  type ProviderClaims,
  SignInError,
} from "../../sign-in/identity.js";
import type { IdentityProvider } from "../../store/identity-providers.js";
import type { Store } from "../../store/store.js";
import type { User } from "../../store/users.js";
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

interface OriginSources {
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

/** Whom an assertion of a provider means. */
type FoundPerson =
  | {
      readonly kind: "found";
      readonly user: User;
      /** The account that becomes theirs when the assertion is redeemed; `null`: it is already. */
      readonly linkedSubject: string | null;
    }
  /** Nobody of whom this could be said with certainty. `reason` is for logs and audit. */
  | { readonly kind: "unknown"; readonly reason: string };

/**
 * Finds the person by their account, else by a verified email address, by the rules of a sign-in. Nobody is created, and no address
 * changes hands: for that somebody has to sign in.
 */
export async function findPerson(
  claims: JsonObject,
  provider: IdentityProvider,
  store: Pick<Store, "users">,
): Promise<FoundPerson> {
  const { sub: subject, email: said } = claims;
  if (!isAccountIdentifier(subject)) return { kind: "unknown", reason: "assertion_subject" };
  const address = provenAddress({ ...claims, sub: subject }, provider);
  const email = "email" in address ? address.email : null;
  const found = await store.users.findAsserted({ providerId: provider.id, subject, email });
  if (found === undefined) {
    return { kind: "unknown", reason: "reason" in address ? address.reason : "unknown_person" };
  }
  const { user, isLinked } = found;
  if (!isLinked) return { kind: "found", user, linkedSubject: subject };
  const reason = contradiction(user, said, provider);
  return reason === undefined ? { kind: "found", user, linkedSubject: null } : { kind: "unknown", reason };
}

/** The address by which somebody could sign in, lower case, or why there is none. */
function provenAddress(
  claims: ProviderClaims,
  provider: IdentityProvider,
): { readonly email: string } | { readonly reason: string } {
  try {
    return { email: decideIdentity(claims, provider).email };
  } catch (error) {
    if (error instanceof SignInError) return { reason: error.reason };
    throw error;
  }
}

/**
 * Permissions hang on the address, so the provider may neither name another one nor speak for one that is not its to speak for. The
 * next sign-in settles which it is.
 */
function contradiction(
  user: User,
  email: unknown,
  provider: Pick<IdentityProvider, "allowedEmailDomains">,
): string | undefined {
  if (user.email === null) return "email_missing";
  if (email !== undefined && (typeof email !== "string" || email.toLowerCase() !== user.email))
    return "email_changed";
  return isAllowedAddress(user.email, provider) ? undefined : "email_domain";
}
