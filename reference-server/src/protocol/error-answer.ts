import { asErrorDescription, type OAuthError, type OAuthErrorCode } from "./oauth-error.js";

/** An HTTP answer, free of any framework. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: string; readonly error_description: string };
}

const noStore = { "cache-control": "no-store", pragma: "no-cache" };

/**
 * The answer of an endpoint that a client calls with a form, such as the token endpoint.
 *
 * A 401 names a scheme that would do (RFC 9110 §15.5.2), and no scheme of `Authorization` does here: clients authenticate
 * in the form. So a client that failed there gets 400, and only one that tried a header gets 401 with the scheme that it
 * used, as RFC 6749 §5.2 says.
 */
export function tokenErrorAnswer(error: OAuthError): ErrorAnswer {
  const { scheme } = error;
  const status = tokenStatus(error);
  const challenge = scheme !== undefined && { "www-authenticate": `${scheme} realm="authz"` };
  return { status, headers: { ...retryHeaders(status, error), ...challenge }, body: errorBody(error) };
}

/** A route that clients find by themselves: they learn from its challenge where to get a token for it. */
export interface DiscoverablePlace {
  /** Of its document (RFC 9728). */
  readonly metadataUrl: string;
  readonly allowsBearer: boolean;
  /** What it asks for, so that clients ask for no more. */
  readonly scope: string;
  /** What people read whose client sent no token and does not know what the challenge means. */
  readonly howToSignIn: string;
}

/**
 * The answer of a route that needs an access token, to clients that know nothing about it. Where Bearer tokens are possible
 * that challenge comes first, because widely used clients read only the first.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-5.1 | RFC 9728 §5.1}
 */
export function discoverableErrorAnswer(error: OAuthError, place: DiscoverablePlace): ErrorAnswer {
  const answer = protectedErrorAnswer(error);
  if (answer.headers["www-authenticate"] === undefined) return answer;
  const metadata = `resource_metadata="${place.metadataUrl}"`;
  const problem = error.code === "unauthorized" ? "" : `, error="${error.code}"`;
  // A request that is malformed is not mended by other scopes.
  const scope = error.code === "invalid_request" ? "" : `, scope="${place.scope}"`;
  const dpop = `DPoP algs="ES256", ${metadata}${problem}${scope}`;
  const isAboutProof = error.code === "invalid_dpop_proof" || error.code === "use_dpop_nonce";
  const bearer = `Bearer ${metadata}${isAboutProof ? "" : problem}${scope}`;
  const challenge = place.allowsBearer ? `${bearer}, ${dpop}` : dpop;
  const { error: code, error_description: description } = answer.body;
  return {
    ...answer,
    headers: { ...answer.headers, "www-authenticate": challenge },
    body: { error: code, error_description: code === "unauthorized" ? place.howToSignIn : description },
  };
}

/**
 * The answer of a route that needs an access token (RFC 6750 §3, RFC 9449 §7.1).
 *
 * @param requiredScope - named in the challenge when a scope is missing
 */
export function protectedErrorAnswer(error: OAuthError, requiredScope?: string): ErrorAnswer {
  const status = protectedStatus[error.code];
  const parts = ['DPoP algs="ES256"'];
  if (error.code !== "unauthorized") parts.push(`error="${error.code}"`);
  if (error.code === "insufficient_scope" && requiredScope !== undefined)
    parts.push(`scope="${requiredScope}"`);
  const challenged = status === 401 || status === 403 || status === 400;
  const headers = challenged
    ? { ...noStore, "www-authenticate": parts.join(", ") }
    : retryHeaders(status, error);
  return { status, headers, body: errorBody(error) };
}

/** Adds `retry-after` to 503. */
function retryHeaders(status: number, { retryAfterSeconds }: OAuthError): ErrorAnswer["headers"] {
  return status === 503 ? { ...noStore, "retry-after": String(retryAfterSeconds) } : noStore;
}

function tokenStatus({ code, reason, scheme }: OAuthError): number {
  if (scheme !== undefined) return 401;
  if (code === "temporarily_unavailable") return 503;
  return reason === "too_large" ? 413 : 400;
}

/** Every code, so that a new one has to be decided here. */
const protectedStatus: Readonly<Record<OAuthErrorCode, number>> = {
  unauthorized: 401,
  invalid_token: 401,
  invalid_dpop_proof: 401,
  use_dpop_nonce: 401,
  insufficient_scope: 403,
  temporarily_unavailable: 503,
  invalid_request: 400,
  invalid_client: 400,
  invalid_grant: 400,
  invalid_scope: 400,
  invalid_authorization_details: 400,
  invalid_target: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  unsupported_token_type: 400,
  access_denied: 403,
  login_required: 400,
  consent_required: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  invalid_request_uri: 400,
  registration_not_supported: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
};

function errorBody(error: OAuthError): ErrorAnswer["body"] {
  return { error: error.code, error_description: asErrorDescription(error.message) };
}
