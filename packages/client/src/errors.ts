/** Every way in which the client can fail. The set is closed: a caller can switch over it. */
export type AuthzClientErrorCode =
  | "not_signed_in"
  | "session_ended"
  | "sign_in_denied"
  | "sign_in_failed"
  | "sign_in_timed_out"
  | "sign_in_cancelled"
  | "invalid_request"
  | "header_not_allowed"
  | "scope_required"
  | "url_not_registered"
  | "resource_not_available"
  | "scope_not_granted"
  | "not_found"
  | "clock_skew"
  | "unreachable"
  | "invalid_answer"
  | "refused"
  | "store_unavailable"
  | "store_unsafe"
  | "store_busy";

/** What an {@link AuthzClientError} says: what happened, why, and what to do next. */
export interface AuthzClientErrorText {
  what: string;
  why?: string;
  hint: string;
  /** Scopes the caller asked for and does not have; set with `scope_not_granted`. */
  missingScopes?: readonly string[];
  cause?: unknown;
}

/**
 * A failure with a stable `code` and words for the person who reads it.
 *
 * `message` is what happened and why; `hint` is the next step. Neither ever contains a token. Parts of both may
 * come from a server: clean them before they reach a terminal.
 */
export class AuthzClientError extends Error {
  override readonly name = "AuthzClientError";
  readonly code: AuthzClientErrorCode;
  readonly what: string;
  readonly why: string | undefined;
  readonly hint: string;
  readonly missingScopes: readonly string[];

  constructor(code: AuthzClientErrorCode, text: AuthzClientErrorText) {
    super(text.why === undefined ? text.what : `${text.what} ${text.why}`, { cause: text.cause });
    this.code = code;
    this.what = text.what;
    this.why = text.why;
    this.hint = text.hint;
    this.missingScopes = text.missingScopes ?? [];
  }
}
