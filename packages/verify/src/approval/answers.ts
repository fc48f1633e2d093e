import type { VerifiedToken } from "../access-token/cache.js";
import type { AuthzRequest, AuthzResponse } from "../messages.js";
import { formatNonceHeaders, type RefusalOptions } from "../refusal.js";

const error = "transaction_authorization_required";

/** A boolean item with parameters (RFC 9651): anything else counts as absent. */
const trueItem =
  /^ *\?1(?:; *[a-z*][a-z0-9_.*-]*(?:=(?:\?[01]|-?\d{1,15}(?:\.\d{1,3})?|"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"|[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*))?)* *$/;

/** Whether the client can present a challenge. */
export function takesChallenges({ header }: AuthzRequest): boolean {
  const lines = header?.("accept-txn-challenge") ?? [];
  const [line] = lines;
  return line !== undefined && lines.length === 1 && line.length <= 200 && trueItem.test(line);
}

/** The answer with a challenge, under the scheme of the request. */
export function answerWithChallenge(
  challenge: string,
  { keyThumbprint }: VerifiedToken,
  { metadataUrl, nonces }: RefusalOptions,
): AuthzResponse {
  const scheme = keyThumbprint === undefined ? "Bearer" : "DPoP";
  const parameters = `error="${error}", transaction_challenge="${challenge}", resource_metadata="${metadataUrl}"`;
  return {
    status: 401,
    headers: { ...headers(nonces), "www-authenticate": `${scheme} ${parameters}` },
    body: JSON.stringify({
      error,
      error_description:
        "This call needs a person's approval. Present the transaction_challenge to the authorization server, and repeat the call with the token that it issues.",
    }),
  };
}

/** The answer to a client that does not know challenges: one text for a model, with the page that the person opens. */
export function answerWithPage(
  { uri, expiresIn }: { readonly uri: string; readonly expiresIn: number },
  { nonces }: RefusalOptions,
): AuthzResponse {
  const minutes = Math.max(1, Math.floor(expiresIn / 60));
  return {
    status: 403,
    headers: headers(nonces),
    body: JSON.stringify({
      error,
      error_description: `A person has to approve this call first. Ask the user to open ${uri} within ${minutes} ${minutes === 1 ? "minute" : "minutes"} and answer there. After that, make exactly the same call again: it works once.`,
      authorization_uri: uri,
      expires_in: expiresIn,
    }),
  };
}

function headers(nonces: RefusalOptions["nonces"]): Record<string, string> {
  return {
    "content-type": "application/json",
    "cache-control": "no-store",
    ...formatNonceHeaders(nonces),
  };
}
