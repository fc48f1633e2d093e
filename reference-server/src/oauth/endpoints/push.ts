import type { Store } from "../../store/store.js";
import { type ClientSources, findClient } from "../clients/metadata-document/client-documents.js";
import type { ProofChecker } from "@authz/dpop";
import { findRequestedResource } from "../requested-resource.js";
import { readProof, useUp } from "../clients/proof.js";
import { requestedAuthorization } from "./authorize/begin.js";
import { locateResponseTarget, parseAuthorizationRequest } from "./authorize/request.js";
import {
  authenticateClient,
  readClientCredentials,
  requireGrantType,
  type FormRequest,
} from "../clients/authenticate.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { createSecret, hashSecret } from "../../protocol/secrets.js";
import { grantTypes, lifetimes, paths, requestUriPrefix } from "../../protocol/vocabulary.js";

export interface PushDependencies extends Pick<ClientSources, "clientDocuments"> {
  readonly store: Store;
  readonly issuer: string;
  readonly now: Date;
  readonly proofChecker: Pick<ProofChecker, "check">;
}

/** The reference to a pushed request (RFC 9126 §2.2). */
export interface PushedResponse {
  readonly request_uri: string;
  readonly expires_in: number;
}

/**
 * Stores an authorization request of a client for its browser (RFC 9126).
 *
 * It is checked here as it would be at the authorization endpoint, with the same errors. A `DPoP` header binds the
 * code to its key like `dpop_jkt` (RFC 9449 §10.1).
 *
 * @throws {OAuthError}
 */
export async function pushAuthorizationRequest(
  request: FormRequest,
  dependencies: PushDependencies,
): Promise<PushedResponse> {
  const { store, issuer, now, proofChecker } = dependencies;
  const { parameters, dpop } = request;
  const credentials = readClientCredentials(request);
  const found = await findClient(credentials.clientId, request.clientAddress, dependencies);
  const place = { issuer, now, endpoint: paths.pushedRequest };
  const { client, assertionUse } = authenticateClient(found, credentials, place);
  requireGrantType(client, grantTypes.authorizationCode);
  if (parameters.get("request_uri") !== undefined) {
    throw new OAuthError("invalid_request", "request_uri", "A pushed request cannot name another one.");
  }
  const proof = readProof({ dpop, method: "POST", url: `${issuer}${paths.pushedRequest}` }, proofChecker);
  const target = locateResponseTarget(parameters, client);
  const resource = await findRequestedResource(parameters, client, store);
  const parsed = parseAuthorizationRequest(parameters, target, { resource, proofKey: proof?.thumbprint });
  const secret = createSecret();
  await store.transaction(async (transaction) => {
    await useUp(transaction, { proof, assertionUse });
    await transaction.authorizationRequests.insert({
      ...requestedAuthorization(parsed, { now, lifetimeSeconds: lifetimes.pushedRequest }),
      pushedHash: hashSecret(secret),
    });
  });
  return { request_uri: `${requestUriPrefix}${secret}`, expires_in: lifetimes.pushedRequest };
}
