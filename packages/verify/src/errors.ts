import { DpopError, type DpopErrorReason, ReplayStoreUnavailableError } from "@authz/dpop";
import { JwtError, type JwtErrorReason } from "@authz/dpop/jwt";

/** The `error` on the wire. */
export type AuthzErrorCode =
  | "unauthorized"
  | "invalid_token"
  | "invalid_dpop_proof"
  | "use_dpop_nonce"
  | "insufficient_scope"
  | "transaction_authorization_required"
  | "access_denied"
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

/** Why a call that needs a person's approval did not pass. */
export type ApprovalReason =
  | "approval_required"
  | "approval_denied"
  | "approval_impossible"
  | "approval_used"
  | "approval_session_ended"
  | "approval_scope_missing"
  | "approval_of_other_call"
  | "approval_address"
  | "method_override"
  | "json_not_strict";

/** Reasons that come from the token status list. */
export type StatusReason = "revoked";

/** The unavailable dependency. */
export type UnavailableReason = "replay_store_unavailable" | "issuer_unavailable" | "signing_key_unavailable";

/** The exact reason; for logs and tests, never on the wire. */
export type AuthzErrorReason =
  | JwtReason
  | CredentialsReason
  | TokenRequestReason
  | ApprovalReason
  | StatusReason
  | UnavailableReason
  | `dpop_${DpopErrorReason}`;

/** Details of an `AuthzError` beyond its code and reason. */
export interface AuthzErrorDetails {
  readonly cause?: unknown;
  readonly requiredScopes?: readonly string[];
}

/** A refused request. `code` is for the caller, `reason` for the operator. */
export class AuthzError extends Error {
  override readonly name = "AuthzError";
  readonly code: AuthzErrorCode;
  readonly reason: AuthzErrorReason;
  /** The scopes that the route requires; empty for routes that require none, and elsewhere. */
  readonly requiredScopes: readonly string[];

  constructor(code: AuthzErrorCode, reason: AuthzErrorReason, details: AuthzErrorDetails = {}) {
    super(`${code} (${reason})`, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.reason = reason;
    this.requiredScopes = details.requiredScopes ?? [];
  }
}

/** The issuer or the signing key is unavailable; the message names the address, the failure, and what to check. */
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

/** An error of a document of the issuer. */
export function issuerUnavailable(message: string, options?: ErrorOptions): AuthzUnavailableError {
  return new AuthzUnavailableError("issuer_unavailable", message, options);
}

/** Converts errors of the lower layers. Returns any other error unchanged. */
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
 * Runs the checks of a JWT and converts its refusals to `AuthzError` with this code.
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
