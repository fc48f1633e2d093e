import { type NextStep, stepText } from "./next-step.js";

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
  | "not_connected"
  | "reconnect_required"
  | "disconnecting"
  | "connector_disabled"
  | "target_not_allowed"
  | "method_not_allowed"
  | "request_too_large"
  | "response_too_large"
  | "rate_limited"
  | "connection_denied"
  | "connection_failed"
  | "connection_timed_out"
  | "connection_cancelled"
  | "not_found"
  | "clock_skew"
  | "unreachable"
  | "invalid_answer"
  | "refused"
  | "store_unavailable"
  | "store_unsafe"
  | "store_busy";

/** Whether a request through a connection reached the third party: certainly not, or nobody knows. */
export type RequestSent = "no" | "maybe";

/** What an {@link AuthzClientError} says: what happened, why, and what to do next. */
export interface AuthzClientErrorText {
  what: string;
  why?: string;
  /** What to do next, in words. */
  hint: string;
  /** What the hint ends with, when it is something that authz does. */
  next?: NextStep;
  /** Scopes the caller asked for and does not have; set with `scope_not_granted`. */
  missingScopes?: readonly string[];
  /** Set for requests through a connection. */
  sent?: RequestSent;
  /** The connection that covers an address of no service; set with `url_not_registered`. */
  connection?: string;
  /** How long the server asks to wait before the next attempt. */
  retryAfterSeconds?: number;
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
  /** The next step in words, with the command to type when there is one. */
  readonly hint: string;
  /** The words alone, for whoever offers `next` in another way. */
  readonly advice: string;
  readonly next: NextStep | undefined;
  readonly missingScopes: readonly string[];
  /** Whether a request through a connection reached the third party; undefined for everything else. */
  readonly sent: RequestSent | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The connection that covers an address of no service. */
  readonly connection: string | undefined;

  constructor(code: AuthzClientErrorCode, text: AuthzClientErrorText) {
    super(text.why === undefined ? text.what : `${text.what} ${text.why}`, { cause: text.cause });
    this.code = code;
    this.what = text.what;
    this.why = text.why;
    this.advice = text.hint;
    this.next = text.next;
    this.hint = text.next === undefined ? text.hint : `${text.hint}: ${stepText(text.next)}`;
    this.missingScopes = text.missingScopes ?? [];
    this.sent = text.sent;
    this.retryAfterSeconds = text.retryAfterSeconds;
    this.connection = text.connection;
  }
}
