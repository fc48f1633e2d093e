import { OAuthError } from "../oauth/oauth-error.js";

/**
 * The one refusal of a code, refresh token or subject token.
 *
 * The caller always reads the same text; only logs and audit learn what was wrong.
 */
export function invalidGrant(reason: string, cause?: unknown): OAuthError {
  const message = "The code or token is not valid for this client and key, or no longer. Sign in again.";
  return new OAuthError("invalid_grant", reason, message, { cause });
}
