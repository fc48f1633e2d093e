/** Why a sign-in at a provider did not succeed. */
export type SignInErrorReason =
  | "provider_unreachable"
  | "provider_refused"
  | "invalid_response"
  | "email_missing"
  | "email_unverified"
  | "email_domain"
  | "user_disabled";

/** A sign-in ended without a session. The page has words for each reason; `cause` is for the log. */
export class SignInError extends Error {
  override readonly name = "SignInError";
  readonly reason: SignInErrorReason;
  constructor(reason: SignInErrorReason, options?: ErrorOptions) {
    super(`The sign-in ended without a session: ${reason}.`, options);
    this.reason = reason;
  }
}

/** The messages along the chain of causes. The errors themselves may carry claims and tokens, so they stay out of the log. */
export function describeCauses(error: Error): readonly string[] {
  const messages: string[] = [];
  for (let cause = error.cause; cause instanceof Error && messages.length < 5; cause = cause.cause) {
    messages.push(`${cause.name}: ${cause.message}`);
  }
  return messages;
}
