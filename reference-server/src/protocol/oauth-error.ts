/** Error codes of RFC 6749, 7009, 7591, 8628, 8693, 9101, 9396, 9449 and OpenID Connect that this server sends. */
export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "invalid_authorization_details"
  | "invalid_target"
  | "invalid_token"
  | "unauthorized"
  | "insufficient_scope"
  | "invalid_dpop_proof"
  | "use_dpop_nonce"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "unsupported_token_type"
  | "access_denied"
  | "login_required"
  | "consent_required"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "invalid_request_uri"
  | "registration_not_supported"
  | "invalid_redirect_uri"
  | "invalid_client_metadata"
  | "authorization_pending"
  | "slow_down"
  | "expired_token"
  | "temporarily_unavailable";

export interface OAuthErrorOptions extends ErrorOptions {
  /** The scheme of the `Authorization` header with which a client tried to authenticate. */
  readonly scheme?: string | undefined;
  /** When it is worth trying again; only with `temporarily_unavailable`. */
  readonly retryAfterSeconds?: number;
}

/**
 * A request is refused.
 *
 * `message` is what the caller may read; `reason` is precise and goes to logs, audit and tests only.
 */
export class OAuthError extends Error {
  override readonly name = "OAuthError";
  readonly code: OAuthErrorCode;
  readonly reason: string;
  readonly scheme: string | undefined;
  readonly retryAfterSeconds: number;
  constructor(code: OAuthErrorCode, reason: string, message: string, options: OAuthErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.reason = reason;
    this.scheme = options.scheme;
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1;
  }
}

/** Keeps a text within the characters that RFC 6749 §5.2 allows in `error_description`. */
export function asErrorDescription(text: string): string {
  return text.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "?");
}
