import {
  type NonceSource,
  type ProofChecker,
  type ReplayStore,
  spendProof,
  type VerifiedProof,
} from "@authz/dpop";
import { canonicalResource, parseScope } from "@authz/dpop/jwt";
import { accessTokenSeconds, type IssuedToken, type TokenIssuer } from "../access-token/issue.js";
import { AuthzError, refusingJwt } from "../errors.js";
import { type PostedForm, parseForm } from "../forms.js";
import type { AuthzLog } from "../log.js";
import type { AuthzResponse, RouteRequest } from "../messages.js";
import { explainWrongUrl, MismatchError } from "../mismatch.js";
import { formatNonceHeaders } from "../refusal.js";
import { spendJwt } from "../replay.js";
import { readProof } from "../request/credentials.js";
import { type AssertionExpectation, type IdentityAssertion, verifyAssertion } from "./verify-assertion.js";

/** The grant types of the token endpoint. */
export const grantTypes = [
  "urn:ietf:params:oauth:grant-type:jwt-bearer",
  "urn:ietf:params:oauth:grant-type:jwt-dpop",
] as const;

/** The dependencies of the token endpoint. */
export interface TokenEndpointOptions extends AssertionExpectation {
  readonly tokenEndpoint: string;
  readonly supportedScopes: readonly string[];
  readonly bearerAllowed: boolean;
  readonly proofChecker: ProofChecker;
  readonly replayStore: ReplayStore;
  readonly nonces: NonceSource | undefined;
  readonly tokenIssuer: TokenIssuer;
  readonly log: AuthzLog;
}

/**
 * Exchanges an identity assertion for an access token of this service.
 *
 * Proof and assertion are spent last, in this order, so that a refused request leaves both usable.
 *
 * @throws {AuthzError} The request is refused.
 */
export async function exchangeAssertion(
  request: RouteRequest,
  options: TokenEndpointOptions,
): Promise<AuthzResponse> {
  const tokenRequest = parseTokenRequest(request);
  const assertion = await refusingJwt("invalid_grant", () =>
    verifyAssertion(tokenRequest.assertion, options),
  );
  checkNarrowing(tokenRequest, options);
  if (assertion.statusIndex !== undefined) await options.statusList.renew();
  options.statusList.check(assertion.statusIndex, "invalid_grant");
  const proof = checkProof(request, options);
  checkBinding({ assertion, tokenRequest, proof }, options);
  const scopes = grantedScopes(assertion, tokenRequest, options);
  if (proof !== undefined) await spendProof(proof, options.replayStore);
  await spendAssertion(assertion, options);
  const { subject, clientId, actor, sessionId, profile, statusIndex } = assertion;
  const keyThumbprint = proof?.thumbprint;
  const grant = { subject, clientId, scopes, actor, sessionId, keyThumbprint, statusIndex, ...profile };
  const issued = await options.tokenIssuer.issue(grant);
  options.log({
    type: "token_issued",
    subject,
    clientId,
    ...(actor !== undefined && { actor }),
    scopes,
    tokenId: issued.tokenId,
    expiresAt: issued.expiresAt,
  });
  return formatAnswer({ issued, scopes, keyThumbprint }, options.nonces);
}

/** A well-formed token request. Its optional members may only narrow the assertion. */
interface TokenRequest {
  readonly assertion: string;
  /** The `jwt-dpop` grant is for bound assertions only. */
  readonly bindingRequired: boolean;
  readonly clientId: string | undefined;
  readonly resource: string | undefined;
  /** Parsed only after the assertion has been verified. */
  readonly scope: string | undefined;
}

const names = ["grant_type", "assertion", "client_id", "resource", "scope"] as const;

/** Reads a token request. @see {@link https://www.rfc-editor.org/rfc/rfc7523#section-2.1 | RFC 7523 §2.1} */
function parseTokenRequest(form: PostedForm): TokenRequest {
  const parameters = parseForm(form, names);
  const grantType = parameters.grant_type;
  if (grantType === undefined) throw new AuthzError("invalid_request", "grant_type_missing");
  if (!grantTypes.some((known) => known === grantType)) {
    throw new AuthzError("unsupported_grant_type", "grant_type_unknown");
  }
  if (parameters.assertion === undefined) throw new AuthzError("invalid_request", "assertion_missing");
  return {
    assertion: parameters.assertion,
    bindingRequired: grantType === "urn:ietf:params:oauth:grant-type:jwt-dpop",
    clientId: parameters.client_id,
    resource: parameters.resource,
    scope: parameters.scope,
  };
}

/** Refuses a client or a resource other than those of the assertion. */
function checkNarrowing({ clientId, resource }: TokenRequest, options: TokenEndpointOptions): void {
  if (clientId !== undefined && clientId !== options.clientId) {
    const cause = new MismatchError("clientId", options.clientId, clientId);
    throw new AuthzError("invalid_grant", "client_mismatch", { cause });
  }
  if (resource !== undefined && canonicalResource(resource) !== options.resource) {
    const cause = new MismatchError("resource", options.resource, resource);
    throw new AuthzError("invalid_target", "resource_mismatch", { cause });
  }
}

function checkProof({ dpop }: RouteRequest, options: TokenEndpointOptions): VerifiedProof | undefined {
  if (dpop.length === 0) return undefined;
  const { publicOrigin, proofChecker, tokenEndpoint: url } = options;
  const proof = readProof(dpop);
  try {
    return proofChecker.check({ proof, method: "POST", url });
  } catch (error) {
    throw explainWrongUrl(error, proof, publicOrigin);
  }
}

interface Binding {
  readonly assertion: IdentityAssertion;
  readonly tokenRequest: TokenRequest;
  readonly proof: VerifiedProof | undefined;
}

/** A bound assertion needs a proof of its key. An unbound one is accepted only where Bearer tokens are allowed. */
function checkBinding(
  { assertion, tokenRequest, proof }: Binding,
  { bearerAllowed }: TokenEndpointOptions,
): void {
  const { keyThumbprint } = assertion;
  if (keyThumbprint === undefined) {
    if (!bearerAllowed || tokenRequest.bindingRequired)
      throw new AuthzError("invalid_grant", "assertion_not_bound");
    return;
  }
  if (proof === undefined) throw new AuthzError("invalid_grant", "proof_missing");
  if (proof.thumbprint !== keyThumbprint) throw new AuthzError("invalid_grant", "proof_key_mismatch");
}

/** The scopes of the assertion that this service knows, narrowed to those asked for. */
function grantedScopes(
  assertion: IdentityAssertion,
  { scope }: TokenRequest,
  { supportedScopes }: TokenEndpointOptions,
): readonly string[] {
  const available = assertion.scopes.filter((known) => supportedScopes.includes(known));
  const granted = scope === undefined ? available : readRequested(scope);
  if (granted.some((requested) => !available.includes(requested))) {
    throw new AuthzError("invalid_scope", "scope_not_granted");
  }
  if (granted.length === 0) throw new AuthzError("invalid_scope", "scope_empty");
  return granted;
}

function readRequested(scope: string): readonly string[] {
  const requested = parseScope(scope);
  if (requested === undefined) throw new AuthzError("invalid_scope", "scope_malformed");
  return requested;
}

async function spendAssertion(assertion: IdentityAssertion, options: TokenEndpointOptions): Promise<void> {
  const { issuer, publicOrigin, replayStore } = options;
  const { tokenId, expiresAt } = assertion;
  const parts = [issuer, publicOrigin, tokenId];
  if (!(await spendJwt({ kind: "assertion", parts, expiresAt }, replayStore)))
    throw new AuthzError("invalid_grant", "jwt_replayed");
}

interface Answer {
  readonly issued: IssuedToken;
  readonly scopes: readonly string[];
  readonly keyThumbprint: string | undefined;
}

/** With server nonces the response carries the next one, so that the first protected request succeeds without a retry. */
function formatAnswer(
  { issued, scopes, keyThumbprint }: Answer,
  nonces: NonceSource | undefined,
): AuthzResponse {
  return {
    status: 200,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...formatNonceHeaders(nonces),
    },
    body: JSON.stringify({
      access_token: issued.token,
      token_type: keyThumbprint === undefined ? "Bearer" : "DPoP",
      expires_in: accessTokenSeconds,
      scope: scopes.join(" "),
    }),
  };
}
