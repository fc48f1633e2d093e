import type { Browser } from "../../../sign-in/browser.js";
import type { StoredAuthorizationRequest } from "../../../store/authorization-requests.js";
import type { Store } from "../../../store/store.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { type Parameters, refuseRepeated, requireParameter } from "../../../protocol/parameters.js";
import { hashSecret } from "../../../protocol/secrets.js";
import { lifetimes, requestUriPrefix } from "../../../protocol/vocabulary.js";

/** Whether a request only names one that was pushed before. */
export function isPushedRequest(parameters: Parameters): boolean {
  return parameters.get("request_uri")?.startsWith(requestUriPrefix) === true;
}

/**
 * Hands a pushed request to the browser that brings it, once (RFC 9126 §4). Parameters beside `client_id` do not
 * count: the client has said everything before.
 *
 * @throws {OAuthError} `invalid_request` or `invalid_request_uri`, shown here: nobody knows where else.
 */
export async function claimPushedRequest(
  parameters: Parameters,
  browser: Browser,
  { store, now }: { readonly store: Store; readonly now: Date },
): Promise<StoredAuthorizationRequest> {
  refuseRepeated(parameters, ["client_id", "request_uri", "request"]);
  const clientId = requireParameter(parameters, "client_id");
  const secret = requireParameter(parameters, "request_uri").slice(requestUriPrefix.length);
  const request = await store.authorizationRequests.claimPushed({
    pushedHash: hashSecret(secret),
    clientId,
    browserHash: browser.hash,
    now,
    expiresAt: new Date(now.getTime() + lifetimes.authorizationRequest * 1000),
  });
  if (request !== undefined) return request;
  throw new OAuthError(
    "invalid_request_uri",
    "request_uri",
    `The request_uri is not known here, was used already, or is older than ${lifetimes.pushedRequest} seconds.`,
  );
}
