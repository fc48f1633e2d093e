import { lifetimes } from "../../protocol/vocabulary.js";
import { apiAudience, authenticationClaims, lifetimeClaims, type TokenSubject } from "./claims.js";

/**
 * The claims of an access token for this server's own API.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068 | RFC 9068}
 */
export function accessTokenClaims(
  { grant, user }: Omit<TokenSubject, "resource">,
  token: {
    readonly issuer: string;
    readonly scopes: readonly string[];
    readonly jti: string;
    readonly now: Date;
    /** When what it rests on ends, in epoch seconds. */
    readonly until: number;
  },
): object {
  return {
    iss: token.issuer,
    sub: user.id,
    aud: apiAudience(token.issuer),
    client_id: grant.clientId,
    scope: token.scopes.join(" "),
    sid: grant.id,
    ...authenticationClaims(grant),
    ...(grant.jkt !== null && { cnf: { jkt: grant.jkt } }),
    jti: token.jti,
    ...lifetimeClaims(token.now, lifetimes.accessToken, token.until),
  };
}
