/** The error codes of a security event token (RFC 8935 §2.4; `invalid_state` is of SSF 1.0 §8.1.4.1). */
export type SignalErrorCode =
  | "invalid_request"
  | "invalid_key"
  | "invalid_issuer"
  | "invalid_audience"
  | "authentication_failed"
  | "access_denied"
  | "invalid_state";

const explanations = {
  content_type: "Send one security event token as application/secevent+jwt.",
  too_large: "The token is larger than 64 KiB.",
  credential: "The Authorization header does not have the credential of this stream.",
  paused: "The stream is paused at the receiver.",
  malformed: "The token is not a compact JWS of strict JSON and base64url, or has a critical header.",
  type: "The header typ must name the kind of token.",
  algorithm: "The header alg must be RS256, ES256 or EdDSA.",
  key_header: "The header must not bring or point to a key. Name a key of the issuer's key set by kid.",
  signature: "No key of the issuer's key set verifies the signature.",
  issuer: "The claim iss must be the issuer that the receiver has configured.",
  audience: "The claim aud must be the receiver's own.",
  id: "The claim jti must be a text of 1 to 256 characters.",
  dates: "The claim iat must be a time in whole seconds, and exp and nbf too where they are.",
  not_yet_valid: "The claim iat is in the future. Compare the clocks.",
  expired: "The token has expired.",
  lifetime: "The token is valid for more than an hour.",
  subject: "The claim sub, sid or sub_id must name the subject in the form of the standard.",
  subject_claim: "A security event token names its subject in sub_id, and has no sub and no exp.",
  nonce: "A logout token must not have a nonce.",
  transaction: "The claim txn must be a text of 1 to 256 characters.",
  events: "The claim events must have exactly one event, whose value is an object.",
  event: "The event lacks what its standard requires.",
  state: "The state is not the one of the verification that was requested last.",
  replayed: "The token was received before.",
  provider: "There is no such identity provider, or it is disabled.",
} as const;

/** Why a token is refused, for logs and the audit trail. */
export type SignalRefusal = keyof typeof explanations;

const codes: Partial<Record<SignalRefusal, SignalErrorCode>> = {
  credential: "authentication_failed",
  paused: "access_denied",
  algorithm: "invalid_key",
  key_header: "invalid_key",
  signature: "invalid_key",
  issuer: "invalid_issuer",
  audience: "invalid_audience",
  state: "invalid_state",
};

/** A logout token or a security event token is refused. Nothing of it was acted upon. */
export class SignalError extends Error {
  override readonly name = "SignalError";
  readonly reason: SignalRefusal;
  readonly code: SignalErrorCode;
  constructor(reason: SignalRefusal, options?: ErrorOptions) {
    super(explanations[reason], options);
    this.reason = reason;
    this.code = codes[reason] ?? "invalid_request";
  }
}
