import { DpopError, type DpopErrorReason, ReplayStoreUnavailableError } from "@authz/dpop";
import { JwtError, type JwtErrorReason } from "@authz/dpop/jwt";

/** The `error` on the wire. */
export type AuthzErrorCode =
  | "unauthorized"
  | "invalid_token"
  | "invalid_dpop_proof"
  | "use_dpop_nonce"
  | "insufficient_scope"
  | "invalid_request"
  | "invalid_grant"
  | "invalid_target"
  | "invalid_scope"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "temporarily_unavailable";

/** What was wrong with a JWT: an access token, an identity assertion or a service assertion. */
export type JwtReason = `jwt_${JwtErrorReason}` | "jwt_replayed";

/** What was wrong with how a request carries its credentials. */
export type CredentialsReason =
  | "credentials_missing"
  | "authorization_repeated"
  | "authorization_malformed"
  | "token_in_query"
  | "token_in_body"
  | "request_target_malformed"
  | "scheme_not_accepted"
  | "token_bound"
  | "token_not_bound"
  | "proof_missing"
  | "proof_repeated"
  | "proof_key_mismatch"
  | "scope_missing";

/** What was wrong with a token request. */
export type TokenRequestReason =
  | "content_type"
  | "body_malformed"
  | "body_too_large"
  | "parameter_repeated"
  | "grant_type_missing"
  | "grant_type_unknown"
  | "assertion_missing"
  | "client_mismatch"
  | "resource_mismatch"
  | "scope_malformed"
  | "scope_not_granted"
  | "scope_empty"
  | "assertion_not_bound"
  | "response_type";

/** What was out of reach. */
export type UnavailableReason = "replay_store_unavailable" | "issuer_unavailable" | "signing_key_unavailable";

/** Exactly what was wrong; for logs and tests, never on the wire. */
export type AuthzErrorReason =
  | JwtReason
  | CredentialsReason
  | TokenRequestReason
  | UnavailableReason
  | `dpop_${DpopErrorReason}`;

/** Details of an `AuthzError` beyond its code and reason. */
export interface AuthzErrorDetails {
  readonly cause?: unknown;
  readonly requiredScopes?: readonly string[];
}

/** A refused request. `code` is what the caller is told, `reason` what the operator may know. */
export class AuthzError extends Error {
  override readonly name = "AuthzError";
  readonly code: AuthzErrorCode;
  readonly reason: AuthzErrorReason;
  /** The scopes that the route asks for; none for a route that asks for none, and away from routes. */
  readonly requiredScopes: readonly string[];

  constructor(code: AuthzErrorCode, reason: AuthzErrorReason, details: AuthzErrorDetails = {}) {
    super(`${code} (${reason})`, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.reason = reason;
    this.requiredScopes = details.requiredScopes ?? [];
  }
}

/** The issuer or the signing key is out of reach; the message says where, how, and what to check. */
export class AuthzUnavailableError extends Error {
  override readonly name = "AuthzUnavailableError";
  readonly reason: Exclude<UnavailableReason, "replay_store_unavailable">;

  constructor(
    reason: Exclude<UnavailableReason, "replay_store_unavailable">,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.reason = reason;
  }
}

/** The error of a document that the issuer did not serve as it should. */
export function issuerUnavailable(message: string, options?: ErrorOptions): AuthzUnavailableError {
  return new AuthzUnavailableError("issuer_unavailable", message, options);
}

/** Translates the errors of the layers below. Any other error comes back unchanged. */
export function toAuthzError(error: unknown): unknown {
  if (error instanceof DpopError) return new AuthzError(error.code, `dpop_${error.reason}`, { cause: error });
  if (error instanceof ReplayStoreUnavailableError) {
    return new AuthzError("temporarily_unavailable", "replay_store_unavailable", { cause: error });
  }
  if (error instanceof AuthzUnavailableError) {
    return new AuthzError("temporarily_unavailable", error.reason, { cause: error });
  }
  return error;
}

/**
 * Runs the checks of a JWT and gives its refusals the code that they have here.
 *
 * @throws {AuthzError}
 */
export async function refusingJwt<T>(
  code: "invalid_token" | "invalid_grant",
  check: () => Promise<T>,
): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof JwtError)) throw error;
    const cause = error.age === undefined ? error.cause : error;
    throw new AuthzError(code, `jwt_${error.reason}`, cause === undefined ? {} : { cause });
  }
}
