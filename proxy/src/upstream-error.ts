/** Why the upstream's answer is not passed on. */
export type UpstreamErrorReason =
  | "unreachable"
  | "certificate"
  | "broken_off"
  | "malformed"
  | "timeout"
  | "redirect"
  | "set_cookie"
  | "too_large";

/** There is no answer to pass on. The message says what to do, for the log; callers see less. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly reason: UpstreamErrorReason;
  constructor(reason: UpstreamErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
