export type SigningKeyErrorReason =
  | "unknown_key"
  | "too_early"
  | "not_staged"
  | "still_active"
  | "already_retired"
  | "kid_taken"
  | "no_active_key";

/** A change of the signing keys is refused. The message says why and what to do. */
export class SigningKeyError extends Error {
  override readonly name = "SigningKeyError";
  readonly reason: SigningKeyErrorReason;
  constructor(reason: SigningKeyErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
