/** Why nothing was asked for. */
export type AskProblem =
  | "unknown_target"
  | "unknown_scope"
  | "invalid_reason"
  | "nothing_missing"
  | "cannot_be_given"
  | "too_many_requests";

/** Nothing was asked for; the message says why, in English. */
export class AskError extends Error {
  override readonly name = "AskError";
  readonly code: AskProblem;
  /** What the problem is about. */
  readonly scopes: readonly string[];
  constructor(code: AskProblem, message: string, scopes: readonly string[] = []) {
    super(message);
    this.code = code;
    this.scopes = scopes;
  }
}
