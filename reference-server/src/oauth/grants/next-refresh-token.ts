import { createHmac, hkdfSync } from "node:crypto";

/** The refresh token that follows a used one of a grant. */
export type NextRefreshToken = (token: string, grantId: string) => string;

/**
 * Derives refresh tokens from `AUTH_SESSION_SECRET`, so that every process knows the one that follows without its being
 * stored: whoever did not get an answer asks again, and gets the same token.
 */
export function createNextRefreshToken(sessionSecret: Buffer): NextRefreshToken {
  const key = Buffer.from(hkdfSync("sha256", sessionSecret, "", "authz next refresh token", 32));
  return (token, grantId) => createHmac("sha256", key).update(`${token}\n${grantId}`).digest("base64url");
}
