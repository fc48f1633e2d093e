/** Why the server did not fetch an address, or did not take its answer. */
export type OutboundErrorReason =
  | "invalid_url"
  | "insecure_url"
  | "forbidden_address"
  | "redirect"
  | "too_large"
  | "timeout"
  | "unreachable";

/** An outbound request was refused or failed. The message names the origin and what to check. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly reason: OutboundErrorReason;
  constructor(reason: OutboundErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
