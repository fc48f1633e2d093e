import { decide } from "../../permissions/decide.js";
import type { Permissions } from "../../permissions/effective-scopes.js";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { parseScope } from "../../protocol/parameters.js";
import { isClientScope } from "../../protocol/vocabulary.js";
import type { Client } from "../../store/clients.js";
import type { Resource } from "../../store/resources.js";
import { loginScope } from "../../store/system-scopes.js";
import { missingProof } from "../clients/proof.js";
import { unknownTarget } from "../requested-resource.js";
import { invalidGrant } from "./grant.js";
import { admitPerson } from "./person.js";

/** What somebody may let a client do at a service now, and what of the wish stays behind. */
export interface ServiceAccess {
  /** Those of the service, in the order of the wish. */
  readonly scopes: readonly string[];
  /** Asked for and known there, but not held, or beyond the client's ceiling. */
  readonly left: readonly string[];
  /** Nobody can say now whether the person holds it. */
  readonly undecided: readonly string[];
}

/**
 * Decides what a client gets at a service: what it asks for, as far as the person holds it and the client's ceiling
 * reaches. A wish that names no scope of the service is for everything (RFC 6749 §3.3). Pure.
 */
export function serviceAccess(
  wish: readonly string[],
  { person, client, resource }: ServiceParties,
): ServiceAccess {
  const named = wish.filter(isServiceScope);
  const wanted = named.length > 0 ? named : resource.supportedScopes;
  const reachable = wanted.filter((scope) => isWithinCeiling(scope, client));
  const { granted, missing } = decide({ permissions: person, resource, scopes: reachable });
  const undecided = missing.flatMap(({ scope, reason }) => (reason === "directory_unavailable" ? scope : []));
  const scopes = granted.map(({ scope }) => scope);
  const left = named.filter((scope) => !scopes.includes(scope) && !undecided.includes(scope));
  return { scopes, left, undecided };
}

/** Whose token it will be, and where it counts. */
export interface ServiceParties {
  readonly person: Permissions;
  readonly client: Pick<Client, "limited" | "ceiling">;
  readonly resource: Resource;
}

/** The person, and the scopes of their next token. */
export interface Admission {
  readonly person: Permissions;
  readonly scopes: readonly string[];
}

/**
 * Decides over the next token of what somebody has allowed, as things are now: at this server's own API with the permission to
 * use it, at a service with what the person holds there. Pure.
 */
export function admit(consented: readonly string[], parties: AdmissionParties): Admission | OAuthError {
  const { person, client, resource, jkt } = parties;
  if (resource === undefined) {
    const admitted = admitPerson(person);
    if (admitted instanceof OAuthError) return admitted;
    const scopes = consented.filter((scope) => isAboutPerson(scope) || isWithinCeiling(scope, client));
    return { person: admitted, scopes };
  }
  if (person === undefined) return invalidGrant("unknown_user");
  if (!person.user.enabled) return invalidGrant("user_disabled");
  if (!resource.enabled) return unknownTarget(resource);
  if (jkt === null && !resource.allowsBearer) return missingProof();
  const { scopes, undecided } = serviceAccess(consented, { person, client, resource });
  if (scopes.length > 0) return { person, scopes: [...consented.filter(isAboutPerson), ...scopes] };
  return undecided.length > 0 ? directoryAway() : invalidGrant("nothing_granted");
}

interface AdmissionParties extends Omit<ServiceParties, "person" | "resource"> {
  readonly person: Permissions | undefined;
  /** `undefined`: this server's own API. */
  readonly resource: Resource | undefined;
  /** The key that the token will be bound to; `null`: a Bearer token. */
  readonly jkt: string | null;
}

/** The scopes of a token that rest on assignments: when one of those is taken away meanwhile, it is judged again. */
export function decidingScopes(scopes: readonly string[], resource: Resource | undefined): readonly string[] {
  return resource === undefined ? [loginScope] : scopes.filter(isServiceScope);
}

/** Whether a client may ever be given a scope, whoever uses it. */
export function isWithinCeiling(
  scope: string,
  { limited, ceiling }: Pick<Client, "limited" | "ceiling">,
): boolean {
  return !limited || ceiling.includes(scope);
}

/** Whether a scope of a request is a permission at a service, and not one of those about the person (OpenID Connect). */
export function isServiceScope(scope: string): boolean {
  return !isClientScope(scope);
}

function isAboutPerson(scope: string): boolean {
  return isClientScope(scope) && scope !== loginScope;
}

/** What is asked for. */
export interface WantedScopes {
  /** The parameter `scope`; absent: everything. */
  readonly wanted: string | undefined;
  /** What an assertion allows; absent: everything. */
  readonly asserted?: readonly string[] | undefined;
}

/**
 * What request, assertion, client and person have in common at a service; at least one. What one of them lacks is left out, and the
 * answer says what is left (RFC 6749 §3.3). What the service does not know is an error: `invalid_scope`.
 */
export function decideServiceScopes(
  parties: ServiceParties,
  { wanted, asserted }: WantedScopes,
): readonly string[] | OAuthError {
  const { name, supportedScopes } = parties.resource;
  const requested = wanted === undefined ? [] : parseScope(wanted);
  if (requested === undefined) return invalidScope("malformed_scope", "The scope is malformed.");
  // Some clients ask for `openid` and `offline_access` wherever they are; nothing of that is given here.
  const named = requested.filter(isServiceScope);
  const unknown = named.filter((scope) => !supportedScopes.includes(scope));
  if (unknown.length > 0)
    return invalidScope("scope_not_supported", `${name} does not know: ${unknown.join(" ")}.`);
  const known = named.length > 0 ? named : supportedScopes;
  const wish = asserted === undefined ? known : known.filter((scope) => asserted.includes(scope));
  // An empty wish would be for everything.
  if (wish.length === 0) return nothingLeft(name);
  const { scopes, undecided } = serviceAccess(wish, parties);
  if (scopes.length > 0) return scopes;
  return undecided.length > 0 ? directoryAway() : nothingLeft(name);
}

function nothingLeft(name: string): OAuthError {
  const message = `No requested scope is allowed for both the app and the person at ${name}. Ask an administrator.`;
  return invalidScope("nothing_granted", message);
}

function invalidScope(reason: string, message: string): OAuthError {
  return new OAuthError("invalid_scope", reason, message);
}
