import { randomUUID } from "node:crypto";
import type { AuditEvent } from "../../audit/events.js";
import type { Permissions } from "../../permissions/effective-scopes.js";

import type { Parameters } from "../../protocol/parameters.js";
import { createSecret, hashSecret } from "../../protocol/secrets.js";
import { lifetimes } from "../../protocol/vocabulary.js";
import type { BegunGrant, RefreshToken } from "../../store/grants.js";
import type { NewGrant } from "../../store/redemptions.js";
import type { Resource } from "../../store/resources.js";
import { shortText } from "../../text/short-text.js";
import {
  accessTokenClaims,
  idTokenClaims,
  serviceTokenClaims,
  shortened,
  type TokenContent,
  tokenHeaders,
  type TokenSubject,
} from "../tokens/claims.js";
import type { GrantContext, Issuance } from "./grant.js";
import { endOfBasis, personBasis } from "./person.js";
import { decidingScopes, isServiceScope } from "./service-access.js";

/** The tokens of one answer, and the refresh token to store. */
interface IssuedTokens {
  readonly respond: Issuance["respond"];
  /** Present when the grant has `offline_access`. */
  readonly refreshToken: RefreshToken | undefined;
  readonly jti: string;
}

interface TokenContents {
  readonly scopes: readonly string[];
  readonly nonce: string | null;
  /** Latest expiry of the access token, in epoch seconds. */
  readonly until: number;
  /** Absent for the first of a grant. */
  readonly nextRefreshToken?: string;
}

/** Creates the tokens of a grant: an access token, and a refresh and an ID token if its scopes ask for them. */
export function issueTokens(
  subject: TokenSubject,
  { scopes, nonce, until, nextRefreshToken = createSecret() }: TokenContents,
  { issuer, keys, now }: GrantContext,
): IssuedTokens {
  const jti = randomUUID();
  const content = { issuer, scopes, jti, now, until };
  const refresh = subject.grant.scopes.includes("offline_access") ? nextRefreshToken : undefined;
  const id = scopes.includes("openid") ? idTokenClaims(subject, { issuer, nonce, now }) : undefined;
  return {
    jti,
    refreshToken: refresh === undefined ? undefined : storedRefreshToken(refresh, subject, now),
    respond: (statusIndex = subject.grant.statusIndex) => ({
      access_token: keys.sign(
        { typ: tokenHeaders.accessToken },
        accessClaims(subject, { ...content, statusIndex }),
      ),
      token_type: subject.grant.jkt === null ? "Bearer" : "DPoP",
      expires_in: shortened(now, lifetimes.accessToken, until),
      scope: scopes.join(" "),
      ...(refresh !== undefined && { refresh_token: refresh }),
      ...(id !== undefined && { id_token: keys.sign({ typ: tokenHeaders.idToken }, id) }),
    }),
  };
}

/** The claims for the service of the grant, or for this server's own API. */
function accessClaims(
  subject: TokenSubject,
  token: TokenContent & { readonly statusIndex: number | undefined },
): object {
  const { grant, user, resource } = subject;
  if (resource === undefined) return accessTokenClaims(subject, token);
  const { id: grantId, clientId, jkt } = grant;
  // Scopes about the user mean nothing to the service (RFC 9068 §2.2.3).
  const scopes = token.scopes.filter(isServiceScope);
  const target = { ...token, scopes, clientId, grantId, jkt, resource: resource.resource };
  return serviceTokenClaims({ user, authentication: grant }, target);
}

function storedRefreshToken(secret: string, { grant }: TokenSubject, now: Date): RefreshToken {
  const idleEnd = now.getTime() + lifetimes.refreshTokenIdle * 1000;
  return {
    hash: hashSecret(secret),
    grantId: grant.id,
    createdAt: now,
    expiresAt: new Date(Math.min(idleEnd, grant.expiresAt.getTime())),
    usedAt: null,
  };
}

/** The event for tokens of a grant. */
export function tokenIssued(
  { grant, user, resource }: TokenSubject,
  token: {
    readonly grantType: string;
    readonly jti: string;
    readonly scopes: readonly string[];
    readonly repeated?: boolean;
  },
  { client, now, requestId }: GrantContext,
): AuditEvent {
  const { grantType, jti: tokenId, scopes, repeated = false } = token;
  const mark = repeated ? ({ repeated } as const) : {};
  return {
    type: "token.issued",
    outcome: "success",
    actor: { type: "user", id: user.id },
    at: now,
    subject: user.id,
    clientId: client.id,
    requestId,
    data: {
      grantType,
      grantId: grant.id,
      tokenId,
      ...(resource !== undefined && { resource: resource.resource }),
      scopes,
      jkt: grant.jkt,
      ...mark,
    },
  };
}

/** What a user allowed a client, and what it comes to now. */
interface Allowance {
  readonly person: Permissions;
  /** The scopes that the user allowed. */
  readonly consented: readonly string[];
  /** The scopes of the first token. */
  readonly scopes: readonly string[];
  /** `undefined`: this server's own API. */
  readonly resource: Resource | undefined;
  readonly authTime: Date | null;
  readonly amr: readonly string[];
  readonly deviceName: string | null;
}

/** Begins a grant with its first tokens. */
export function beginGrant(
  allowance: Allowance,
  context: GrantContext,
  answer: { readonly grantType: string; readonly nonce: string | null },
): Omit<Issuance, "store"> & { readonly begun: NewGrant } {
  const { person, resource, scopes } = allowance;
  const grant = createGrant(allowance, context);
  const subject = { grant, user: person.user, resource };
  const deciding = decidingScopes(scopes, resource);
  const until = endOfBasis(person, deciding);
  const issued = issueTokens(subject, { scopes, nonce: answer.nonce, until }, context);
  const { respond, refreshToken, jti } = issued;
  const { grantType } = answer;
  return {
    respond,
    audit: tokenIssued(subject, { grantType, jti, scopes }, context),
    basis: personBasis(person, { grantId: null, scopes: deciding }),
    begun: { grant, refreshToken },
  };
}

/** Binds the grant to the key of the proof, for clients that need not use DPoP as well. */
function createGrant(
  { person, consented, resource, authTime, amr, deviceName }: Allowance,
  { client, now, proof }: GrantContext,
): BegunGrant {
  return {
    id: randomUUID(),
    userId: person.user.id,
    clientId: client.id,
    jkt: proof?.thumbprint ?? null,
    deviceName,
    resourceId: resource?.id ?? null,
    providerId: null,
    scopes: consented,
    authTime,
    amr,
    createdAt: now,
    expiresAt: new Date(now.getTime() + lifetimes.grant * 1000),
    revokedAt: null,
  };
}

/** Maximum length of a device name. */
const mostCharacters = 80;

/**
 * What a client calls the device that it runs on, such as "ada-laptop (macOS)", for people to recognize it by: the parameter
 * `device_name` of a token request. It is unverified and decides nothing, so a bad one is cleaned rather than refused.
 */
export function readDeviceName(parameters: Parameters): string | null {
  return cleanDeviceName(parameters.get("device_name") ?? "");
}

/** `null` when no visible character is left. */
export function cleanDeviceName(text: string): string | null {
  return shortText(text, mostCharacters) ?? null;
}
