/** Which code each reason belongs to. */
const codes = {
  not_signed_in: "not_signed_in",
  session_ended: "session_ended",
  session_damaged: "session_ended",
  sign_in_declined: "sign_in_denied",
  client_not_allowed: "sign_in_denied",
  sign_in_failed: "sign_in_failed",
  browser_not_opened: "sign_in_failed",
  device_login_not_offered: "sign_in_failed",
  sign_in_timed_out: "sign_in_timed_out",
  sign_in_cancelled: "sign_in_cancelled",
  issuer_invalid: "invalid_request",
  proxy_invalid: "invalid_request",
  address_invalid: "invalid_request",
  method_invalid: "invalid_request",
  scope_invalid: "invalid_request",
  third_party_scope_invalid: "invalid_request",
  header_invalid: "invalid_request",
  header_reserved: "header_not_allowed",
  header_not_forwarded: "header_not_allowed",
  scope_required: "scope_required",
  url_not_registered: "url_not_registered",
  resource_not_available: "resource_not_available",
  scope_unknown: "scope_not_granted",
  scope_missing: "scope_not_granted",
  skill_not_found: "not_found",
  skill_uncertain: "unreachable",
  address_not_found: "not_found",
  clock_skew: "clock_skew",
  no_answer: "unreachable",
  unavailable: "unreachable",
  answer_broken_off: "unreachable",
  answer_invalid: "invalid_answer",
  refusal_without_code: "invalid_answer",
  refusal_unexpected: "refused",
  machine_not_accepted: "refused",
  prefix_ambiguous: "refused",
  access_request_refused: "refused",
  keyring_unusable: "store_unavailable",
  file_unusable: "store_unavailable",
  file_readable_by_others: "store_unsafe",
  file_writable_by_others: "store_unsafe",
  file_of_another_user: "store_unsafe",
  store_busy: "store_busy",
  // What the authorization server says about a connection, and what comes of connecting.
  connection_not_found: "not_found",
  connection_declined: "connection_denied",
  connection_failed: "connection_failed",
  connection_other_account: "connection_failed",
  connection_timed_out: "connection_timed_out",
  connection_cancelled: "connection_cancelled",
  connection_answer_broken_off: "unreachable",
  connection_answer_lost: "unreachable",
  connection_answer_unmarked: "invalid_answer",
  connection_request_invalid: "invalid_request",
  connection_target_invalid: "invalid_request",
  connection_scope_invalid: "invalid_request",
  connection_scope_missing: "scope_not_granted",
  connection_key_unavailable: "refused",
  not_connected: "not_connected",
  reconnect_required: "reconnect_required",
  disconnecting: "disconnecting",
  connector_disabled: "connector_disabled",
  transaction_authorization_required: "transaction_authorization_required",
  access_denied: "access_denied",
  target_not_allowed: "target_not_allowed",
  method_not_allowed: "method_not_allowed",
  request_too_large: "request_too_large",
  response_too_large: "response_too_large",
  rate_limited: "rate_limited",
  provider_unreachable: "unreachable",
  provider_timeout: "unreachable",
  refresh_unavailable: "unreachable",
  temporarily_unavailable: "unreachable",
} as const;

/** What exactly went wrong. The set is closed: each reason belongs to one code. */
export type AuthzClientErrorReason = keyof typeof codes;

/** Every way in which the client can fail. The set is closed: a caller can switch on it. */
export type AuthzClientErrorCode = (typeof codes)[AuthzClientErrorReason];

/** Whether a request was carried out: certainly not, or possibly. */
export type RequestSent = "no" | "maybe";

/** The facts of a failure, as far as they are known and mean something for its reason. */
export interface AuthzClientErrorFacts {
  /** Scopes that the caller asked for and does not have. */
  missingScopes?: readonly string[] | undefined;
  /** Scopes to choose from; set with `scope_required`. */
  availableScopes?: readonly string[] | undefined;
  /**
   * Whether a request through a connection reached the third party. Of a POST or PATCH to a service, `maybe` when its answer was lost;
   * undefined for everything else.
   */
  sent?: RequestSent | undefined;
  /** How long the server asks to wait before the next attempt. */
  retryAfterSeconds?: number | undefined;
  /** Where a person approves the request; set with `transaction_authorization_required`. */
  authorizationUri?: string | undefined;
  /** How long they can, in seconds. */
  expiresInSeconds?: number | undefined;
  /** The connection that a failure is about; with `url_not_registered` the one that covers the address. */
  connection?: string | undefined;
  /** What people call the third party of that connection. */
  connectionName?: string | undefined;
  /** Where the request was going to; set with `scope_missing` and `access_request_refused` when there was one. */
  url?: string | undefined;
  /** What the organization calls its authorization server. */
  installation?: string | undefined;
  /** The file that cannot be used. */
  path?: string | undefined;
}

interface Details extends AuthzClientErrorFacts {
  what: string;
  why?: string | undefined;
  cause?: unknown;
}

/**
 * A failure with a stable `code`, a precise `reason` and the facts that go with it.
 *
 * `message` is for the developer who reads it: what happened (`what`) and why. It never contains a token. Parts of it may come from a
 * server: clean them before they reach a terminal.
 */
export class AuthzClientError extends Error {
  override readonly name = "AuthzClientError";
  readonly code: AuthzClientErrorCode;
  readonly reason: AuthzClientErrorReason;
  readonly what: string;
  readonly why: string | undefined;
  readonly facts: AuthzClientErrorFacts;

  constructor(reason: AuthzClientErrorReason, { what, why, cause, ...facts }: Details) {
    super(why === undefined ? what : `${what} ${why}`, { cause });
    this.code = codes[reason];
    this.reason = reason;
    this.what = what;
    this.why = why;
    this.facts = facts;
  }

  /** The same failure with other facts. */
  with(changed: Partial<Details>): AuthzClientError {
    const { reason, what, why, cause, facts } = this;
    return new AuthzClientError(reason, { what, why, cause, ...facts, ...changed });
  }
}
