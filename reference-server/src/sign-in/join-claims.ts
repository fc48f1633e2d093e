import type { ProviderClaims } from "./identity.js";

/**
 * What a provider says about an account in its ID token and at its userinfo endpoint, as one statement.
 *
 * An address and what vouches for it always come from one document: the two may name different addresses, and one that
 * is verified says nothing about the other. How and when the person signed in is for the ID token alone to say.
 */
export function joinClaims(idToken: ProviderClaims, userinfo: ProviderClaims | undefined): ProviderClaims {
  const { email, email_verified, xms_edov, hd } = findAddress(idToken, userinfo);
  return {
    sub: idToken.sub,
    email,
    email_verified,
    xms_edov,
    hd,
    name: idToken.name ?? userinfo?.name,
    groups: idToken.groups ?? userinfo?.groups,
    auth_time: idToken.auth_time,
    amr: idToken.amr,
  };
}

/** The first document that says whether its address is verified, else the first with an address. */
function findAddress(idToken: ProviderClaims, userinfo: ProviderClaims | undefined): ProviderClaims {
  const documents = userinfo === undefined ? [idToken] : [idToken, userinfo];
  const named = documents.filter(({ email }) => typeof email === "string" && email !== "");
  const judged = named.find(
    ({ email_verified, xms_edov }) => email_verified !== undefined || xms_edov !== undefined,
  );
  return judged ?? named[0] ?? idToken;
}
