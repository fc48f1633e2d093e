/**
 * Why a third party did not do what was asked.
 *
 * `denied`: by the person, or by the third party for them. `issuer_mismatch`: the answer is from another issuer. `grant_refused`: the
 * code or refresh token is invalid. `client_refused`: client id or secret is unknown. `refused`: another error of the protocol.
 * `invalid_answer`: malformed. `account_unknown`: the account is not named. `rate_limited`: too many requests. `unreachable`: nothing
 * was sent. `no_answer`: something was sent, and its outcome is unknown.
 */
export type ProviderErrorReason =
  | "denied"
  | "issuer_mismatch"
  | "grant_refused"
  | "client_refused"
  | "refused"
  | "invalid_answer"
  | "account_unknown"
  | "rate_limited"
  | "unreachable"
  | "no_answer";

export interface ProviderErrorOptions {
  /** Details from this server or in a strict form: never a body, never a token. */
  readonly detail?: string;
  readonly retryAfterSeconds?: number;
}

/** A third party refused, or answered wrongly or not at all. Carries no cause: causes hold answers, and answers hold tokens. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly reason: ProviderErrorReason;
  readonly detail: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  constructor(reason: ProviderErrorReason, options: ProviderErrorOptions = {}) {
    const { detail, retryAfterSeconds } = options;
    super(`The third party: ${reason}${detail === undefined ? "" : ` (${detail})`}.`);
    this.reason = reason;
    this.detail = detail;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** An error code in the form of RFC 6749 §5.2, so that it is safe in logs and on pages. */
export function errorCode(value: unknown): string | undefined {
  return typeof value === "string" && /^[a-z][a-z0-9_.-]{0,63}$/i.test(value) ? value : undefined;
}
