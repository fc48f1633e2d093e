import type { JsonObject } from "@authz/dpop/jws";
import { checkSignature, JwtError, parseJwt } from "@authz/dpop/jwt";
import type { Permissions } from "../../permissions/effective-scopes.js";
import { loadPermissions, resolvePermissions } from "../../permissions/load-permissions.js";
import {
  decideIdentity,
  isAccountIdentifier,
  isAllowedAddress,
  type ProviderClaims,
  SignInError,
} from "../../sign-in/identity.js";
import type { ProviderKeys } from "../../sign-in/provider-keys.js";
import type { Client } from "../../store/clients.js";
import type { Grant } from "../../store/grants.js";
import type { IdentityProvider } from "../../store/identity-providers.js";
import type { Resource } from "../../store/resources.js";
import type { Store } from "../../store/store.js";
import type { User } from "../../store/users.js";
import type { RequestContext } from "../grants/grant.js";
import type { Keys } from "../keys/keys.js";
import { tokenHeaders } from "../tokens/claims.js";
import { maxAssertionBytes, type ReadAssertion, readResource } from "./read-assertion.js";

/** The issuer of an assertion: this server, or a provider whose assertions are accepted. */
type AssertionOrigin =
  | { readonly kind: "own" }
  | { readonly kind: "provider"; readonly provider: IdentityProvider }
  /** No accepted issuer signed it; `reason` is for logs. */
  | { readonly kind: "untrusted"; readonly reason: string };

/** Everything that decides over an assertion. */
export interface AssertionSituation {
  readonly client: Client | undefined;
  readonly origin: AssertionOrigin;
  readonly person: AssertedPerson;
  /** Of an assertion of this server: the sign-in it came from. Of a provider's for agents: the grant that earlier ones began. */
  readonly grant: Grant | undefined;
  /** The service that the assertion names. */
  readonly resource: Resource | undefined;
  /** A stop applies to the person, the client, both, the service, or everything. */
  readonly stopped: boolean;
}

/** The person an assertion is about, with what decides over their permissions. */
type AssertedPerson =
  | {
      readonly kind: "found";
      readonly permissions: Permissions;
      /** The account that redeeming links to them; `null`: it is linked already. */
      readonly linkedSubject: string | null;
    }
  /** `reason` is for logs and audit. */
  | { readonly kind: "unknown"; readonly reason: string };

type LoadedPerson = Pick<AssertionSituation, "person" | "grant" | "stopped">;

interface LoadContext extends RequestContext {
  readonly store: Store;
  readonly providerKeys: ProviderKeys;
}

/**
 * Loads client, issuer, person, grant and service of an assertion. Verifies its signature first: nothing is looked up for one that
 * no accepted issuer signed.
 *
 * @throws {OAuthError} `temporarily_unavailable`: the issuer's keys cannot be fetched.
 */
export async function loadAssertion(
  assertion: ReadAssertion,
  context: LoadContext,
): Promise<AssertionSituation> {
  const { store, clientId } = context;
  const [client, origin] = await Promise.all([store.clients.find(clientId), findOrigin(assertion, context)]);
  if (origin.kind === "untrusted") {
    const person = { kind: "unknown", reason: "unknown_person" } as const;
    return { client, origin, person, grant: undefined, resource: undefined, stopped: false };
  }
  const identifier = readResource(assertion.claims);
  const [{ person, grant, stopped }, resource] = await Promise.all([
    origin.kind === "own"
      ? loadOwn(assertion, identifier, context)
      : loadAsserted(assertion, { provider: origin.provider, identifier }, context),
    identifier === undefined ? undefined : store.resources.findByIdentifier(identifier),
  ]);
  const loaded = { client, origin, person, resource, stopped };
  if (origin.kind === "own" || resource?.builtIn !== true || person.kind === "unknown")
    return { ...loaded, grant };
  const asserted = { userId: person.permissions.user.id, clientId, providerId: origin.provider.id };
  return { ...loaded, grant: await store.grants.findAsserted(asserted) };
}

/** Finds the issuer of an assertion and verifies its signature. */
async function findOrigin(
  assertion: ReadAssertion,
  { store, issuer, keys, providerKeys }: LoadContext,
): Promise<AssertionOrigin> {
  if (assertion.issuer === issuer) return verifyOwn(assertion, keys);
  const provider = await store.identityProviders.findAsserting(assertion.issuer);
  if (provider === undefined || !provider.enabled) return { kind: "untrusted", reason: "assertion_issuer" };
  return (await providerKeys.isSigned(assertion.token, provider))
    ? { kind: "provider", provider }
    : { kind: "untrusted", reason: "assertion_signature" };
}

function verifyOwn({ token }: ReadAssertion, keys: Pick<Keys, "publicKey">): AssertionOrigin {
  try {
    const jwt = parseJwt(token, { type: tokenHeaders.identityAssertion, maxBytes: maxAssertionBytes });
    checkSignature(jwt, keys.publicKey(jwt.kid));
    return { kind: "own" };
  } catch (error) {
    if (error instanceof JwtError) return { kind: "untrusted", reason: `assertion_${error.reason}` };
    throw error;
  }
}

/** An assertion of this server names the grant that it came from. */
async function loadOwn(
  { claims }: ReadAssertion,
  identifier: string | undefined,
  { store, clientId, directories }: LoadContext,
): Promise<LoadedPerson> {
  const unknown = { kind: "unknown", reason: "unknown_grant" } as const;
  if (typeof claims["sid"] !== "string") return { person: unknown, grant: undefined, stopped: false };
  const target = identifier !== undefined && { target: { resource: identifier, scopes: undefined } };
  const found = await store.tokenRequests.findByGrant({ id: claims["sid"], clientId, ...target });
  const { grant, person, stopped } = found;
  if (person === undefined || person.user.id !== claims["sub"]) return { person: unknown, grant, stopped };
  const permissions = await resolvePermissions(person, { store, directories });
  return { person: { kind: "found", permissions, linkedSubject: null }, grant, stopped };
}

async function loadAsserted(
  { claims }: ReadAssertion,
  { provider, identifier }: { readonly provider: IdentityProvider; readonly identifier: string | undefined },
  { store, clientId, directories }: LoadContext,
): Promise<LoadedPerson> {
  const found = await findPerson(claims, provider, store);
  if (found.kind === "unknown") return { person: found, grant: undefined, stopped: false };
  const { user, linkedSubject } = found;
  const [permissions, stopped] = await Promise.all([
    loadPermissions(user, { store, directories }),
    store.stops.applies({ userId: user.id, clientId, resource: identifier }),
  ]);
  return { person: { kind: "found", permissions, linkedSubject }, grant: undefined, stopped };
}

/** The user that a provider's assertion is about. */
type FoundPerson =
  | {
      readonly kind: "found";
      readonly user: User;
      /** The account that redeeming the assertion links to the user; `null`: it is linked already. */
      readonly linkedSubject: string | null;
    }
  /** No user matches with certainty. `reason` is for logs and audit. */
  | { readonly kind: "unknown"; readonly reason: string };

/**
 * Finds the user by account, else by verified email address, by the rules of a sign-in. Creates no user and moves no address: that
 * takes a sign-in.
 */
async function findPerson(
  claims: JsonObject,
  provider: IdentityProvider,
  store: Pick<Store, "users">,
): Promise<FoundPerson> {
  const { sub: subject, email } = claims;
  if (!isAccountIdentifier(subject)) return { kind: "unknown", reason: "assertion_subject" };
  const address = provenAddress({ ...claims, sub: subject }, provider);
  const proven = "email" in address ? address.email : null;
  const found = await store.users.findAsserted({ providerId: provider.id, subject, email: proven });
  if (found === undefined) {
    return { kind: "unknown", reason: "reason" in address ? address.reason : "unknown_person" };
  }
  const { user, isLinked } = found;
  if (!isLinked) return { kind: "found", user, linkedSubject: subject };
  const reason = contradiction(user, email, provider);
  return reason === undefined ? { kind: "found", user, linkedSubject: null } : { kind: "unknown", reason };
}

/** The address that a sign-in would accept, in lower case, or why there is none. */
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
 * Why an assertion contradicts the stored address, which permissions depend on: the provider names another one, or may not vouch for
 * this one. The next sign-in settles it.
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
