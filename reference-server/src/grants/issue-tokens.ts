import { randomUUID } from "node:crypto";
import { createSecret, hashSecret } from "../oauth/secrets.js";
import { lifetimes } from "../oauth/vocabulary.js";
import type { RefreshToken } from "../store/refresh-tokens.js";
import { accessTokenClaims } from "../tokens/access-token.js";
import { type TokenSubject, tokenHeaders } from "../tokens/claims.js";
import { idTokenClaims } from "../tokens/id-token.js";
import type { GrantContext, TokenResponse } from "./grant.js";

/** The tokens of one answer, and what has to be stored of them. */
export interface IssuedTokens {
  readonly response: TokenResponse;
  readonly refreshToken: RefreshToken | undefined;
  readonly jti: string;
}

/** Makes the tokens of a log-in: an access token, and what its scopes add to that. */
export function issueTokens(
  subject: TokenSubject,
  token: { readonly scopes: readonly string[]; readonly nonce: string | null },
  { issuer, keys, now }: GrantContext,
): IssuedTokens {
  const { grant } = subject;
  const jti = randomUUID();
  const access = accessTokenClaims(subject, { issuer, scopes: token.scopes, jti, now });
  const refresh = grant.scopes.includes("offline_access") ? createSecret() : undefined;
  const withIdToken = token.scopes.includes("openid");
  return {
    jti,
    refreshToken: refresh === undefined ? undefined : storedRefreshToken(refresh, subject, now),
    response: {
      access_token: keys.sign({ typ: tokenHeaders.accessToken }, access),
      token_type: "DPoP",
      expires_in: lifetimes.accessToken,
      scope: token.scopes.join(" "),
      ...(refresh !== undefined && { refresh_token: refresh }),
      ...(withIdToken && {
        id_token: keys.sign(
          { typ: tokenHeaders.idToken },
          idTokenClaims(subject, { issuer, nonce: token.nonce, now }),
        ),
      }),
    },
  };
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
