import type { AuthzClientErrorCode } from "@authz/client";

/** The documented exit codes. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  signInNeeded: 3,
  notAllowed: 4,
  unreachable: 5,
  /** As shells say it of a command that Ctrl-C ended. */
  interrupted: 130,
} as const;

const exitCodeByError: Readonly<Record<AuthzClientErrorCode, number>> = {
  invalid_request: exitCodes.usage,
  header_not_allowed: exitCodes.usage,
  scope_required: exitCodes.usage,
  not_signed_in: exitCodes.signInNeeded,
  session_ended: exitCodes.signInNeeded,
  sign_in_denied: exitCodes.notAllowed,
  url_not_registered: exitCodes.notAllowed,
  resource_not_available: exitCodes.notAllowed,
  scope_not_granted: exitCodes.notAllowed,
  not_connected: exitCodes.signInNeeded,
  reconnect_required: exitCodes.signInNeeded,
  disconnecting: exitCodes.failure,
  connector_disabled: exitCodes.notAllowed,
  transaction_authorization_required: exitCodes.notAllowed,
  access_denied: exitCodes.notAllowed,
  target_not_allowed: exitCodes.notAllowed,
  method_not_allowed: exitCodes.notAllowed,
  request_too_large: exitCodes.failure,
  response_too_large: exitCodes.failure,
  rate_limited: exitCodes.unreachable,
  connection_denied: exitCodes.notAllowed,
  connection_failed: exitCodes.failure,
  connection_timed_out: exitCodes.failure,
  connection_cancelled: exitCodes.interrupted,
  unreachable: exitCodes.unreachable,
  sign_in_failed: exitCodes.failure,
  sign_in_timed_out: exitCodes.failure,
  sign_in_cancelled: exitCodes.interrupted,
  not_found: exitCodes.failure,
  clock_skew: exitCodes.failure,
  invalid_answer: exitCodes.failure,
  refused: exitCodes.failure,
  store_unavailable: exitCodes.failure,
  store_unsafe: exitCodes.failure,
  store_busy: exitCodes.failure,
};

/** The exit code for a failure of the client library. */
export function exitCodeFor(code: AuthzClientErrorCode): number {
  return exitCodeByError[code];
}
