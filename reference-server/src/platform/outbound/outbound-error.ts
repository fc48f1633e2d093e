/** Why the server did not fetch an address, or did not take its answer. */
export type OutboundErrorReason =
  | "invalid_url"
  | "insecure_url"
  | "forbidden_address"
  | "redirect"
  | "too_large"
  | "timeout"
  | "unreachable";

/** Values for a message about the failure: the origin, and a number or a code. */
export interface OutboundErrorValues {
  readonly origin?: string;
  readonly bytes?: number;
  readonly seconds?: number;
  readonly cause?: string;
}

/** An outbound request was refused or failed. The message names the origin and what to check, for the log. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly reason: OutboundErrorReason;
  readonly values: OutboundErrorValues;
  constructor(
    reason: OutboundErrorReason,
    message: string,
    { values = {}, ...options }: ErrorOptions & { readonly values?: OutboundErrorValues } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.values = values;
  }
}
