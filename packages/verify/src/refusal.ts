import type { NonceSource } from "@authz/dpop";
import type { AuthzError, AuthzErrorCode, AuthzErrorReason } from "./errors.js";
import type { AuthzResponse } from "./messages.js";

/** The place of a refusal: some codes have another status at the token endpoint. */
export type RefusalPlace = "protected" | "endpoint" | "catalog";

/** The settings of the service that refusals depend on. */
export interface RefusalOptions {
  readonly metadataUrl: string;
  readonly bearerAllowed: boolean;
  readonly nonces: NonceSource | undefined;
}

/** Formats every refusal as a response. */
export function formatRefusal(
  error: AuthzError,
  place: RefusalPlace,
  options: RefusalOptions,
): AuthzResponse {
  const status = statusOf(error.code, place);
  return {
    status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...challengeHeaders(error, place, options),
      ...(place !== "catalog" && formatNonceHeaders(options.nonces)),
      ...(status === 503 && { "retry-after": "1" }),
    },
    body: JSON.stringify({ error: error.code, error_description: describe(error, place, options) }),
  };
}

function statusOf(code: AuthzErrorCode, place: RefusalPlace): number {
  switch (code) {
    case "unauthorized":
    case "invalid_token":
      return 401;
    case "invalid_dpop_proof":
    case "use_dpop_nonce":
      return place === "endpoint" ? 400 : 401;
    case "insufficient_scope":
    case "transaction_authorization_required":
    case "access_denied":
      return 403;
    case "invalid_request":
    case "invalid_grant":
    case "invalid_target":
    case "invalid_scope":
    case "unsupported_grant_type":
    case "unsupported_response_type":
      return 400;
    case "temporarily_unavailable":
    default:
      return 503;
  }
}

/** Another token would not help. */
const withoutChallenge: ReadonlySet<AuthzErrorCode> = new Set([
  "temporarily_unavailable",
  "transaction_authorization_required",
  "access_denied",
]);

function challengeHeaders(
  error: AuthzError,
  place: RefusalPlace,
  options: RefusalOptions,
): Record<string, string> {
  if (withoutChallenge.has(error.code) || place === "endpoint") return {};
  const challenge = place === "catalog" ? formatCatalogChallenge(error) : formatChallenge(error, options);
  return { "www-authenticate": challenge };
}

/**
 * The `WWW-Authenticate` of a refused request. No `error` when the request had no credentials. `scope` lists the scopes of the
 * route, so that clients request no more.
 *
 * Where Bearer tokens are allowed, their challenge comes first, because widely used clients read only the first.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750#section-3 | RFC 6750 §3}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-7.1 | RFC 9449 §7.1}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-5.1 | RFC 9728 §5.1}
 */
function formatChallenge(error: AuthzError, options: RefusalOptions): string {
  const metadata = `resource_metadata="${options.metadataUrl}"`;
  const problem = formatError(error);
  const scope = formatScope(error);
  const dpop = `DPoP algs="ES256", ${metadata}${problem}${scope}`;
  if (!options.bearerAllowed) return dpop;
  return `Bearer ${metadata}${isAboutProof(error) ? "" : problem}${scope}, ${dpop}`;
}

/** The `WWW-Authenticate` of the skill catalog, which only the authorization server may read. */
function formatCatalogChallenge(error: AuthzError): string {
  return `Bearer realm="skills"${formatError(error)}`;
}

function formatError({ code }: AuthzError): string {
  return code === "unauthorized" ? "" : `, error="${code}"`;
}

/** Omitted for malformed requests, which other scopes do not fix. */
function formatScope({ code, requiredScopes }: AuthzError): string {
  return code === "invalid_request" || requiredScopes.length === 0
    ? ""
    : `, scope="${requiredScopes.join(" ")}"`;
}

function isAboutProof({ code }: AuthzError): boolean {
  return code === "invalid_dpop_proof" || code === "use_dpop_nonce";
}

const none: Readonly<Record<string, string>> = Object.freeze({});

/**
 * The headers that carry the next nonce; none when server nonces are off.
 *
 * A response with a nonce must not be cached, because the nonce becomes stale.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-8.2 | RFC 9449 §8.2}
 */
export function formatNonceHeaders(nonces: NonceSource | undefined): Readonly<Record<string, string>> {
  return nonces === undefined ? none : { "dpop-nonce": nonces.current(), "cache-control": "no-store" };
}

/**
 * One description per code: the exact reason is for the log, not for the caller. Exception: a missing proof, because a caller behind
 * a proxy that removes headers would suspect its own clock and key. A route that accepts Bearer tokens does not ask for a proof, and
 * neither does the catalog.
 */
function describe(
  { code, reason }: AuthzError,
  place: RefusalPlace,
  { bearerAllowed }: RefusalOptions,
): string {
  if (reason === "proof_missing")
    return "No DPoP proof arrived with the request. Send one. If you did, something on the way removed the DPoP header.";
  if (code === "access_denied") return denials[reason] ?? descriptions[code];
  const takesBearer = bearerAllowed || place === "catalog";
  return code === "unauthorized" && takesBearer
    ? "This route needs authorization. Send an access token."
    : descriptions[code];
}

/** These reasons tell the caller what to do. */
const denials: Readonly<Partial<Record<AuthzErrorReason, string>>> = {
  approval_impossible:
    "This call needs a person's approval, and the access token belongs to no session of a person that could ask for it.",
  approval_used:
    "Another request has used the approval of this call. Make the call again to ask for a new one.",
};

const descriptions: Readonly<Record<AuthzErrorCode, string>> = {
  unauthorized: "This route needs authorization. Send an access token with a DPoP proof.",
  invalid_token: "The token is not valid for this service. Get a new one.",
  invalid_dpop_proof: "The DPoP proof is not valid for this request. Make a new one for every request.",
  use_dpop_nonce: "Repeat the request with the nonce from the DPoP-Nonce header in the proof.",
  insufficient_scope: "The access token does not have the scopes that this route needs.",
  transaction_authorization_required:
    "This call needs a person's approval. Present the transaction_challenge to the authorization server, and repeat the call with the token that it issues.",
  access_denied:
    "This call was not approved, or approval cannot be asked for now. Do not repeat it unless the user asks you to.",
  invalid_request: "The request is malformed, or has a parameter or credential more than once.",
  invalid_grant: "The identity assertion is not valid for this service. Get a new one.",
  invalid_target: "The requested resource is not served here.",
  invalid_scope: "The requested scopes are malformed or go beyond the identity assertion.",
  unsupported_grant_type:
    "Use the grant type urn:ietf:params:oauth:grant-type:jwt-bearer or jwt-dpop with an identity assertion.",
  unsupported_response_type: "This server accepts only identity assertions. Nobody signs in here.",
  temporarily_unavailable: "The request cannot be checked right now. Try again.",
};
