import type { JwsErrorReason } from "./jws/errors.js";

/** The `error` of the response. */
export type DpopErrorCode = "invalid_dpop_proof" | "use_dpop_nonce";

/** The exact reason why a proof was refused, for logs and tests. A closed set: new reasons are a minor release. */
export type DpopErrorReason =
  | JwsErrorReason
  | "wrong_type"
  | "bad_signature"
  | "wrong_method"
  | "wrong_url"
  | "invalid_iat"
  | "too_old"
  | "from_the_future"
  | "invalid_jti"
  | "missing_ath"
  | "wrong_ath"
  | "missing_nonce"
  | "wrong_nonce"
  | "replayed";

const messages: Readonly<Record<Exclude<DpopErrorReason, JwsErrorReason>, string>> = {
  wrong_type: 'The proof\'s "typ" is not "dpop+jwt".',
  bad_signature: "The proof's signature does not verify with the key in its header.",
  wrong_method: 'The proof\'s "htm" is not the method of this request.',
  wrong_url: 'The proof\'s "htu" is not the address of this request.',
  invalid_iat: 'The proof\'s "iat" is not a whole number of seconds.',
  too_old: "The proof was made too long ago: compare the clocks of client and server.",
  from_the_future: "The proof was made in the future: compare the clocks of client and server.",
  invalid_jti: 'The proof\'s "jti" is not a text of 1 to 256 characters without control characters.',
  missing_ath: 'The proof has no "ath", although it accompanies an access token.',
  wrong_ath: 'The proof\'s "ath" is not the hash of the access token it accompanies.',
  missing_nonce: "The proof has no nonce: repeat the request with the one from the DPoP-Nonce header.",
  wrong_nonce:
    "The proof's nonce is not current: repeat the request with the one from the DPoP-Nonce header.",
  replayed: "The proof was used before: every request needs its own.",
};

/** Details of a refusal beyond its reason. */
export interface DpopErrorOptions extends ErrorOptions {
  /** The age of a proof that is too old or from the future, in seconds by its `iat`; negative when it is ahead. */
  readonly ageSeconds?: number;
}

/** A refused proof. `code` goes on the wire, `reason` into logs; neither quotes the proof. */
export class DpopError extends Error {
  override readonly name = "DpopError";
  readonly code: DpopErrorCode;
  readonly reason: DpopErrorReason;
  /**
   * For `too_old` and `from_the_future`: the age of the proof by its `iat` and this server's clock, in seconds; negative when
   * it is ahead. Also in the message.
   */
  readonly ageSeconds: number | undefined;

  constructor(reason: DpopErrorReason, options: DpopErrorOptions = {}) {
    super(
      reason in messages ? messageOf(reason as keyof typeof messages, options) : malformedMessage(options),
      options,
    );
    this.code =
      reason === "missing_nonce" || reason === "wrong_nonce" ? "use_dpop_nonce" : "invalid_dpop_proof";
    this.reason = reason;
    this.ageSeconds = options.ageSeconds;
  }
}

function messageOf(reason: keyof typeof messages, { ageSeconds }: DpopErrorOptions): string {
  if (ageSeconds === undefined) return messages[reason];
  const when = ageSeconds < 0 ? `${-ageSeconds} seconds in the future` : `${ageSeconds} seconds ago`;
  return `The proof was made ${when}: compare the clocks of client and server.`;
}

function malformedMessage({ cause }: ErrorOptions): string {
  const detail = cause instanceof Error ? ` ${cause.message}` : "";
  return `The proof is malformed.${detail}`;
}

/** The replay store did not answer, so whether the proof was used before is unknown. Answer 503. */
export class ReplayStoreUnavailableError extends Error {
  override readonly name = "ReplayStoreUnavailableError";
}
