import { OAuthError } from "../../protocol/oauth-error.js";
import { loginScope } from "../../store/system-scopes.js";

/** What signing in again does not mend is told to whoever has shown a code or token that is theirs. */
const explanations: Readonly<Record<string, string>> = {
  login_permission_missing: `The account does not have the permission ${loginScope}. Ask an administrator for it.`,
  login_scope_missing: `The sign-in does not have the scope ${loginScope}, or this client may not have it. Sign in again and ask for it.`,
  user_disabled: "The account is disabled. Ask an administrator.",
};

/**
 * The refusal of a code, refresh token or subject token.
 *
 * Whatever is wrong with one, the caller reads the same text; only logs and audit learn what it was.
 */
export function invalidGrant(reason: string): OAuthError {
  const usual = "The code or token is not valid for this client and key, or no longer. Sign in again.";
  return new OAuthError("invalid_grant", reason, explanations[reason] ?? usual);
}
