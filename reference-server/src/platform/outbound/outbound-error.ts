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

/** Errors that occur only before anything is sent. */
const beforeSending: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Whether a request with this cause of its failure may have been sent; in doubt it was. */
export function wasSent(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(wasSent);
  if (!(error instanceof Error)) return true;
  return (
    !beforeSending.has((error as NodeJS.ErrnoException).code) &&
    (error.cause === undefined || wasSent(error.cause))
  );
}
