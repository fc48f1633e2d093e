import { decide } from "../../permissions/decide.js";
import type { Permissions } from "../../permissions/effective-scopes.js";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { parseScope } from "../../protocol/parameters.js";
import { isClientScope } from "../../protocol/vocabulary.js";
import { scopesOfRules } from "../../rules/call-rule.js";
import type { Client } from "../../store/clients.js";
import type { Resource } from "../../store/resources.js";
import { loginScope } from "../../store/system-scopes.js";
import { missingProof } from "../clients/proof.js";
import { unknownTarget } from "../requested-resource.js";
import { standingFault } from "../standing.js";
import { invalidGrant } from "./grant.js";
import { admitPerson } from "./person.js";

/** The requested scopes of a service: those that a client may have for a user, and those it may not. */
export interface ServiceAccess {
  /** In the order of the request. */
  readonly scopes: readonly string[];
  /** Known at the service, but not held, or beyond the client's ceiling. */
  readonly left: readonly string[];
  /** Depends on a directory that is unavailable. */
  readonly undecided: readonly string[];
  /** Held, and left out all the same: rules of the service decide about calls with them, and would not see a direct call. */
  readonly ruled: readonly string[];
}

/**
 * Decides what a client gets at a service: the requested scopes that the user holds, within the client's ceiling. A request that names
 * no scope of the service is for all of them (RFC 6749 §3.3). Scopes that the service's rules are about are left out, because its client
 * could call it directly. Pure.
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
  const held = granted.map(({ scope }) => scope);
  const left = named.filter((scope) => !held.includes(scope) && !undecided.includes(scope));
  const inRules = scopesOfRules(resource.rules, resource.supportedScopes);
  return {
    scopes: held.filter((scope) => !inRules.includes(scope)),
    left,
    undecided: undecided.filter((scope) => !inRules.includes(scope)),
    ruled: held.filter((scope) => inRules.includes(scope)),
  };
}

/** The user and the client of a token, and its service. */
export interface ServiceParties {
  readonly person: Permissions;
  readonly client: Pick<Client, "limited" | "ceiling">;
  readonly resource: Resource;
}

/** The user, and the scopes of their next token. */
export interface Admission {
  readonly person: Permissions;
  readonly scopes: readonly string[];
}

/**
 * Decides over the next token of a grant as things are now: at this server's own API by the permission to use it, at a service by the
 * scopes that the user holds there. Pure.
 */
export function admit(consented: readonly string[], parties: AdmissionParties): Admission | OAuthError {
  const { person, client, resource, jkt, stopped, issuer } = parties;
  const held = standingFault({ user: person?.user, stopped, issuer });
  if (held !== undefined) return held;
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
  const { scopes, undecided, ruled } = serviceAccess(consented, { person, client, resource });
  if (scopes.length > 0) return { person, scopes: [...consented.filter(isAboutPerson), ...scopes] };
  if (undecided.length > 0) return directoryAway();
  return invalidGrant(ruled.length > 0 ? "scopes_in_rules" : "nothing_granted");
}

interface AdmissionParties extends Omit<ServiceParties, "person" | "resource"> {
  readonly person: Permissions | undefined;
  /** `undefined`: this server's own API. */
  readonly resource: Resource | undefined;
  /** The key that the token will be bound to; `null`: a Bearer token. */
  readonly jkt: string | null;
  readonly stopped: boolean;
  readonly issuer: string;
}

/** The scopes of a token that rest on assignments. Removing one before the token is stored makes the request decided again. */
export function decidingScopes(scopes: readonly string[], resource: Resource | undefined): readonly string[] {
  return resource === undefined ? [loginScope] : scopes.filter(isServiceScope);
}

/** Whether a scope is within the client's ceiling, for any user. */
export function isWithinCeiling(
  scope: string,
  { limited, ceiling }: Pick<Client, "limited" | "ceiling">,
): boolean {
  return !limited || ceiling.includes(scope);
}

/** Whether a scope is a permission at a service, not one about the user (OpenID Connect). */
export function isServiceScope(scope: string): boolean {
  return !isClientScope(scope);
}

function isAboutPerson(scope: string): boolean {
  return isClientScope(scope) && scope !== loginScope;
}

/** The requested scopes. */
export interface WantedScopes {
  /** The parameter `scope`; default: everything. */
  readonly wanted: string | undefined;
  /** The scopes of an assertion; default: everything. */
  readonly asserted?: readonly string[] | undefined;
}

/**
 * The scopes of a service that request, assertion, client and user have in common; at least one. Others are left out, and the answer
 * names the rest (RFC 6749 §3.3). One that the service does not know is an error: `invalid_scope`.
 */
export function decideServiceScopes(
  parties: ServiceParties,
  { wanted, asserted }: WantedScopes,
): readonly string[] | OAuthError {
  const { name, supportedScopes } = parties.resource;
  const requested = wanted === undefined ? [] : parseScope(wanted);
  if (requested === undefined) return invalidScope("malformed_scope", "The scope is malformed.");
  // Some clients ask for `openid` and `offline_access` everywhere. An assertion grants neither.
  const named = requested.filter(isServiceScope);
  const unknown = named.filter((scope) => !supportedScopes.includes(scope));
  if (unknown.length > 0)
    return invalidScope("scope_not_supported", `${name} does not know: ${unknown.join(" ")}.`);
  const known = named.length > 0 ? named : supportedScopes;
  const wish = asserted === undefined ? known : known.filter((scope) => asserted.includes(scope));
  // `serviceAccess` reads an empty list as a request for everything.
  if (wish.length === 0) return nothingLeft(name);
  const { scopes, undecided, ruled } = serviceAccess(wish, parties);
  if (scopes.length > 0) return scopes;
  if (undecided.length > 0) return directoryAway();
  return ruled.length > 0 ? scopesInRules(parties.resource, ruled) : nothingLeft(name);
}

/** Why a client gets no token or assertion for these scopes. */
export function scopesInRules({ name }: Pick<Resource, "name">, scopes: readonly string[]): OAuthError {
  const message = `Rules of ${name} decide about each call that needs ${scopes.join(" ")}. Call it through this server: with the tool request at its address for agents.`;
  return invalidScope("scopes_in_rules", message);
}

function nothingLeft(name: string): OAuthError {
  const message = `No requested scope is allowed for both the app and the person at ${name}. Ask an administrator.`;
  return invalidScope("nothing_granted", message);
}

function invalidScope(reason: string, message: string): OAuthError {
  return new OAuthError("invalid_scope", reason, message);
}
