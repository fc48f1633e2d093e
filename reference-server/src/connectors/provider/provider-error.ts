/**
 * Why a third party did not do what was asked.
 *
 * `denied`: the person, or the third party for them, said no. `issuer_mismatch`: somebody else answered. `grant_refused`: the code
 * or the refresh token is worth nothing. `client_refused`: it does not know this server's client id and secret.
 * `refused`: another error of the protocol. `invalid_answer`: what came is no such answer. `account_unknown`: it does not
 * say whose account it is. `rate_limited`: too often. `unreachable`: nothing was sent. `no_answer`: something was sent, and
 * what became of it is not known.
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
  /** What exactly, in a few words that come from this server or follow a strict form: never a body, never a token. */
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

/** An error code as the standards write them (RFC 6749 §5.2), or nothing: it goes into logs and onto pages. */
export function errorCode(value: unknown): string | undefined {
  return typeof value === "string" && /^[a-z][a-z0-9_.-]{0,63}$/i.test(value) ? value : undefined;
}
