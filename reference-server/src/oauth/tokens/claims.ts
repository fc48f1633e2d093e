import type { AuthorizationDetail } from "@authz/dpop/approval";
import { lifetimes, paths } from "../../protocol/vocabulary.js";
import type { BegunGrant, Grant } from "../../store/grants.js";
import type { Resource } from "../../store/resources.js";
import type { User } from "../../store/users.js";

/** Header types of the tokens this server signs. */
export const tokenHeaders = {
  accessToken: "at+jwt",
  idToken: "JWT",
  identityAssertion: "oauth-id-jag+jwt",
  statusList: "statuslist+jwt",
} as const;

/** The grant that a token comes from, its user and the service it is for, at one moment. */
export interface TokenSubject {
  readonly grant: BegunGrant;
  readonly user: User;
  /** `undefined`: this server's own API. */
  readonly resource: Resource | undefined;
}

/** What every access token and identity assertion of this server says beside its subject. */
export interface TokenContent {
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly jti: string;
  readonly now: Date;
  /** Latest expiry, in epoch seconds: the end of the assignments that the token rests on. */
  readonly until: number;
}

/** The audience of access tokens for the server's own API. */
export function apiAudience(issuer: string): string {
  return `${issuer}/api`;
}

/** The address of the token status list, which every token names that services check. */
export function statusListUri(issuer: string): string {
  return `${issuer}${paths.statusList}`;
}

/** A NumericDate. */
export function inSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

/** Limits a lifetime in whole seconds to `until`, in epoch seconds; never negative. */
export function shortened(now: Date, lifetimeSeconds: number, until: number): number {
  return Math.max(Math.min(lifetimeSeconds, Math.floor(until) - inSeconds(now)), 0);
}

function lifetimeClaims(now: Date, lifetimeSeconds: number, until = Infinity): object {
  const iat = inSeconds(now);
  return { iat, exp: iat + shortened(now, lifetimeSeconds, until) };
}

/** When and how the user authenticated at the provider; absent where the provider does not say. */
function authenticationClaims({ authTime, amr }: Pick<Grant, "authTime" | "amr">): object {
  return {
    ...(authTime !== null && { auth_time: inSeconds(authTime) }),
    ...(amr.length > 0 && { amr }),
  };
}

/**
 * The claims of an access token for this server's own API.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068 | RFC 9068}
 */
export function accessTokenClaims(
  { grant, user }: Omit<TokenSubject, "resource">,
  token: TokenContent,
): object {
  return {
    iss: token.issuer,
    sub: user.id,
    aud: apiAudience(token.issuer),
    client_id: grant.clientId,
    scope: token.scopes.join(" "),
    sid: grant.id,
    ...authenticationClaims(grant),
    ...confirmation(grant.jkt),
    jti: token.jti,
    ...lifetimeClaims(token.now, lifetimes.accessToken, token.until),
  };
}

/** The claims of an ID token for the client of a grant; `sid` names the grant. */
export function idTokenClaims(
  { grant, user }: Omit<TokenSubject, "resource">,
  token: Pick<TokenContent, "issuer" | "now"> & { readonly nonce: string | null },
): object {
  return {
    iss: token.issuer,
    sub: user.id,
    aud: grant.clientId,
    sid: grant.id,
    ...authenticationClaims(grant),
    ...(token.nonce !== null && { nonce: token.nonce }),
    ...personClaims(user, grant.scopes),
    ...lifetimeClaims(token.now, lifetimes.idToken),
  };
}

interface ServiceToken extends TokenContent {
  /** The acting client as this server knows it: for a metadata document its address. */
  readonly clientId: string;
  /** The identifier of the one service that accepts the token, in canonical form. */
  readonly resource: string;
  /** Absent for a token issued for a provider's assertion, except at the address for agents. */
  readonly grantId?: string;
  /** Thumbprint of the key that the token is bound to; `null`: a Bearer token. */
  readonly jkt: string | null;
  /** The entry in the token status list. */
  readonly statusIndex: number | undefined;
}

/**
 * The claims of an access token with which a client calls one service for a user. `act` names the client (RFC 8693 §4.1).
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068 | RFC 9068}
 */
export function serviceTokenClaims(
  { user, authentication }: { readonly user: User; readonly authentication: Pick<Grant, "authTime" | "amr"> },
  token: ServiceToken,
): object {
  const { issuer, clientId, resource, scopes, grantId, jkt, jti, now, until, statusIndex } = token;
  return {
    iss: issuer,
    sub: user.id,
    aud: resource,
    client_id: clientId,
    scope: scopes.join(" "),
    ...(grantId !== undefined && { sid: grantId }),
    ...authenticationClaims(authentication),
    ...nameClaims(user),
    act: { sub: clientId },
    ...confirmation(jkt),
    ...statusClaim(issuer, statusIndex),
    jti,
    ...lifetimeClaims(now, lifetimes.accessToken, until),
  };
}

/** What a token for one approved call says beside a token for its service. */
interface TransactionToken extends ServiceToken {
  readonly txn: string;
  readonly detail: AuthorizationDetail;
}

/**
 * The claims of an access token for one call that a person has approved.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-rosomakho-oauth-txn-challenge/ | draft-rosomakho-oauth-txn-challenge}
 */
export function transactionTokenClaims(
  subject: Parameters<typeof serviceTokenClaims>[0],
  { txn, detail, ...token }: TransactionToken,
): object {
  return { ...serviceTokenClaims(subject, token), txn, authorization_details: [detail] };
}

/**
 * The claims of an access token with which a machine calls one resource. It has no user: `sub` is the client (RFC 9068 §2.2).
 */
export function machineTokenClaims(
  token: Pick<ServiceToken, "clientId" | "resource" | "jkt" | "statusIndex"> & Omit<TokenContent, "until">,
): object {
  const { issuer, clientId, resource, scopes, jkt, jti, now, statusIndex } = token;
  return {
    iss: issuer,
    sub: clientId,
    aud: resource,
    client_id: clientId,
    scope: scopes.join(" "),
    ...confirmation(jkt),
    ...statusClaim(issuer, statusIndex),
    jti,
    ...lifetimeClaims(now, lifetimes.accessToken),
  };
}

/** The authorization server that redeems an assertion. */
export interface AssertionRecipient {
  readonly issuer: string;
  /** The client's identifier there. */
  readonly clientId: string;
}

interface AssertionTarget extends TokenContent, Pick<ServiceToken, "jkt"> {
  readonly recipient: AssertionRecipient;
  readonly resource: Pick<Resource, "resource">;
}

/**
 * The claims of an identity assertion (ID-JAG) for one registered service. `sid` names the grant: this server ends the assertion with
 * it, and a service names it when it asks for a person's approval.
 */
export function identityAssertionClaims(
  { grant, user }: Omit<TokenSubject, "resource">,
  target: AssertionTarget,
): object {
  const { resource, recipient } = target;
  return {
    iss: target.issuer,
    sub: user.id,
    aud: recipient.issuer,
    client_id: recipient.clientId,
    sid: grant.id,
    resource: resource.resource,
    scope: target.scopes.join(" "),
    ...nameClaims(user),
    ...authenticationClaims(grant),
    act: { sub: grant.clientId },
    ...confirmation(target.jkt),
    ...statusClaim(target.issuer, grant.statusIndex),
    jti: target.jti,
    ...lifetimeClaims(target.now, lifetimes.identityAssertion, target.until),
  };
}

/** The claims about a user that the granted scopes allow. */
export function personClaims(user: User, scopes: readonly string[]): object {
  return {
    ...(scopes.includes("email") && user.email !== null && { email: user.email, email_verified: true }),
    ...(scopes.includes("profile") && user.name !== null && { name: user.name }),
  };
}

function nameClaims({ email, name }: User): object {
  return { ...(email !== null && { email }), ...(name !== null && { name }) };
}

/** @see {@link https://www.ietf.org/archive/id/draft-ietf-oauth-status-list-21.html#section-6.2 | draft-ietf-oauth-status-list §6.2} */
function statusClaim(issuer: string, index: number | undefined): object {
  return index === undefined ? {} : { status: { status_list: { idx: index, uri: statusListUri(issuer) } } };
}

function confirmation(jkt: string | null): object {
  return jkt === null ? {} : { cnf: { jkt } };
}
