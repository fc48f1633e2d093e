import { randomUUID } from "node:crypto";
import type { RefusalRecord } from "../../../audit/refusals.js";
import type { Browser } from "../../../sign-in/browser.js";
import type {
  RequestedAuthorization,
  StoredAuthorizationRequest,
} from "../../../store/authorization-requests.js";
import type { Store } from "../../../store/store.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { type Parameters, refuseRepeated, requireParameter } from "../../../protocol/parameters.js";
import { hashSecret } from "../../../protocol/secrets.js";
import { grantTypes, lifetimes, paths, requestUriPrefix } from "../../../protocol/vocabulary.js";
import {
  type AuthorizationRequest,
  errorResponse,
  locateResponseTarget,
  parseAuthorizationRequest,
  type Prompt,
  type ResponseTarget,
} from "./request.js";
import { requireGrantType } from "../../clients/authenticate.js";
import { type ClientSources, findClient } from "../../clients/metadata-document/client-documents.js";
import type { Requester } from "../../clients/metadata-document/refresh-document.js";
import { decideSilently } from "./decide.js";
import { findRequestedResource } from "../../requested-resource.js";

export interface AuthorizeDependencies extends Pick<ClientSources, "clientDocuments"> {
  readonly store: Store;
  readonly refusals: RefusalRecord;
  readonly issuer: string;
  readonly now: Date;
  readonly requestId: string;
  /** The address of the browser. */
  readonly requester: Requester;
}

/**
 * Begins an authorization request and returns the next address of the browser: the consent page, or the client with an error.
 *
 * @throws {OAuthError} Client or redirect URI cannot be trusted: the error is shown here.
 */
export async function beginAuthorization(
  parameters: Parameters,
  browser: Browser,
  dependencies: AuthorizeDependencies,
): Promise<string> {
  if (isPushedRequest(parameters)) {
    const request = await claimPushedRequest(parameters, browser, dependencies);
    return await proceed(request, browser, dependencies);
  }
  const { store, issuer, now } = dependencies;
  const clientId = parameters.repeated.has("client_id") ? undefined : parameters.get("client_id");
  const client =
    clientId === undefined ? undefined : await findClient(clientId, dependencies.requester, dependencies);
  const target = locateResponseTarget(parameters, client);
  try {
    requireGrantType(target.client, grantTypes.authorizationCode);
    const resource = await findRequestedResource(parameters, target.client, store);
    const parsed = parseAuthorizationRequest(parameters, target, { resource });
    const request = {
      ...requestedAuthorization(parsed, { now, lifetimeSeconds: lifetimes.authorizationRequest }),
      browserHash: browser.hash,
    };
    // A request without any page ends at once, so it is not stored.
    if (!request.prompts.includes("none")) await store.authorizationRequests.insert(request);
    return await proceed(request, browser, dependencies);
  } catch (error) {
    if (error instanceof OAuthError) return errorResponse(target, issuer, error);
    throw error;
  }
}

/** Whether a request only names one that was pushed before. */
function isPushedRequest(parameters: Parameters): boolean {
  return parameters.get("request_uri")?.startsWith(requestUriPrefix) === true;
}

/**
 * Hands a pushed request to the browser that brings it, once (RFC 9126 §4). Other parameters than `client_id` are ignored: the pushed
 * ones count.
 *
 * @throws {OAuthError} `invalid_request` or `invalid_request_uri`, shown here because the redirect URI is unknown.
 */
async function claimPushedRequest(
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

/** The stored form of a valid request. */
export function requestedAuthorization(
  request: AuthorizationRequest,
  { now, lifetimeSeconds }: { readonly now: Date; readonly lifetimeSeconds: number },
): RequestedAuthorization {
  const { clientId, redirectUri, state = null, nonce = null, codeChallenge } = request;
  return {
    id: randomUUID(),
    clientId,
    target: { kind: "redirect", redirectUri, state, nonce, codeChallenge },
    resourceId: request.resource?.id ?? null,
    scopes: request.scopes,
    dpopJkt: request.dpopJkt ?? null,
    prompts: [...request.prompts],
    maxAgeSeconds: request.maxAgeSeconds ?? null,
    createdAt: now,
    expiresAt: new Date(now.getTime() + lifetimeSeconds * 1000),
  };
}

async function proceed(
  request: StoredAuthorizationRequest,
  browser: Browser,
  dependencies: AuthorizeDependencies,
): Promise<string> {
  const { target } = request;
  if (!request.prompts.includes("none") || target.kind !== "redirect")
    return `${paths.consent}?request=${request.id}`;
  const error = await refuseSilently(request, browser, dependencies);
  const address: ResponseTarget = { redirectUri: target.redirectUri, state: target.state ?? undefined };
  return errorResponse(address, dependencies.issuer, error);
}

/** A request without any page can only end in an error. */
async function refuseSilently(
  { clientId, prompts, maxAgeSeconds, createdAt }: StoredAuthorizationRequest,
  { session }: Browser,
  { store, refusals, now, requestId }: AuthorizeDependencies,
): Promise<OAuthError> {
  const request = {
    prompts: new Set(prompts as readonly Prompt[]),
    maxAgeSeconds: maxAgeSeconds ?? undefined,
    createdAt,
  };
  const error = decideSilently({ request, session, now });
  if (session !== undefined) {
    await refusals.record(store, {
      type: "authorization.refused",
      outcome: "denied",
      actor: { type: "user", id: session.userId },
      at: now,
      subject: session.userId,
      clientId,
      requestId,
      data: { error: error.code, reason: error.reason },
    });
  }
  return error;
}
