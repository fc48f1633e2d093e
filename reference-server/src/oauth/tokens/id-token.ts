import { lifetimes } from "../../protocol/vocabulary.js";
import { authenticationClaims, lifetimeClaims, type TokenSubject } from "./claims.js";
import { personClaims } from "./person-claims.js";

/** The claims of an ID token for the client of a grant; `sid` names the grant. */
export function idTokenClaims(
  { grant, user }: Omit<TokenSubject, "resource">,
  token: { readonly issuer: string; readonly nonce: string | null; readonly now: Date },
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
