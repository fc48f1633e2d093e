import type { AuthzClientErrorCode } from "@authz/client";

/** The documented exit codes. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  signInNeeded: 3,
  notAllowed: 4,
  unreachable: 5,
  /** As shells say it of a command that Ctrl-C ended. */
  interrupted: 130,
} as const;

const EXIT_CODES: Readonly<Record<AuthzClientErrorCode, number>> = {
  invalid_request: EXIT.usage,
  header_not_allowed: EXIT.usage,
  scope_required: EXIT.usage,
  not_signed_in: EXIT.signInNeeded,
  session_ended: EXIT.signInNeeded,
  sign_in_denied: EXIT.notAllowed,
  url_not_registered: EXIT.notAllowed,
  resource_not_available: EXIT.notAllowed,
  scope_not_granted: EXIT.notAllowed,
  not_connected: EXIT.signInNeeded,
  reconnect_required: EXIT.signInNeeded,
  disconnecting: EXIT.failure,
  connector_disabled: EXIT.notAllowed,
  target_not_allowed: EXIT.notAllowed,
  method_not_allowed: EXIT.notAllowed,
  request_too_large: EXIT.failure,
  response_too_large: EXIT.failure,
  rate_limited: EXIT.unreachable,
  connection_denied: EXIT.notAllowed,
  connection_failed: EXIT.failure,
  connection_timed_out: EXIT.failure,
  connection_cancelled: EXIT.interrupted,
  unreachable: EXIT.unreachable,
  sign_in_failed: EXIT.failure,
  sign_in_timed_out: EXIT.failure,
  sign_in_cancelled: EXIT.interrupted,
  not_found: EXIT.failure,
  clock_skew: EXIT.failure,
  invalid_answer: EXIT.failure,
  refused: EXIT.failure,
  store_unavailable: EXIT.failure,
  store_unsafe: EXIT.failure,
  store_busy: EXIT.failure,
};

/** The exit code for a failure of the client library. */
export function exitCodeFor(code: AuthzClientErrorCode): number {
  return EXIT_CODES[code];
}
