import { randomUUID } from "node:crypto";
import type { AuditEvent } from "../../audit/events.js";
import { createSecret, hashSecret } from "../../protocol/secrets.js";
import { lifetimes } from "../../protocol/vocabulary.js";
import type { RefreshToken } from "../../store/grants.js";
import { accessTokenClaims } from "../tokens/access-token.js";
import { shortened, type TokenSubject, tokenHeaders } from "../tokens/claims.js";
import { idTokenClaims } from "../tokens/id-token.js";
import { serviceTokenClaims } from "../tokens/service-token.js";
import type { GrantContext, TokenResponse } from "./grant.js";
import { isServiceScope } from "./service-access.js";

/** The tokens of one answer, and what has to be stored of them. */
export interface IssuedTokens {
  readonly response: TokenResponse;
  /** There is one when the grant has `offline_access`. */
  readonly refreshToken: RefreshToken | undefined;
  readonly jti: string;
}

export interface TokenContents {
  readonly scopes: readonly string[];
  readonly nonce: string | null;
  /** When what the access token rests on ends, in epoch seconds. */
  readonly until: number;
  /** The one that follows the one before; absent for the first. */
  readonly nextRefreshToken?: string;
}

/** Makes the tokens of a grant: an access token, and what its scopes add to that. */
export function issueTokens(
  subject: TokenSubject,
  { scopes, nonce, until, nextRefreshToken = createSecret() }: TokenContents,
  { issuer, keys, now }: GrantContext,
): IssuedTokens {
  const jti = randomUUID();
  const access = accessClaims(subject, { issuer, scopes, jti, now, until });
  const refresh = subject.grant.scopes.includes("offline_access") ? nextRefreshToken : undefined;
  const id = scopes.includes("openid") ? idTokenClaims(subject, { issuer, nonce, now }) : undefined;
  return {
    jti,
    refreshToken: refresh === undefined ? undefined : storedRefreshToken(refresh, subject, now),
    response: {
      access_token: keys.sign({ typ: tokenHeaders.accessToken }, access),
      token_type: subject.grant.jkt === null ? "Bearer" : "DPoP",
      expires_in: shortened(now, lifetimes.accessToken, until),
      scope: scopes.join(" "),
      ...(refresh !== undefined && { refresh_token: refresh }),
      ...(id !== undefined && { id_token: keys.sign({ typ: tokenHeaders.idToken }, id) }),
    },
  };
}

/** The token counts at the service that the grant is for, or at this server's own API. */
function accessClaims(subject: TokenSubject, token: Parameters<typeof accessTokenClaims>[1]): object {
  const { grant, user, resource } = subject;
  if (resource === undefined) return accessTokenClaims(subject, token);
  const { id: grantId, clientId, jkt } = grant;
  // What is about the person says nothing to the service (RFC 9068 §2.2.3).
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
