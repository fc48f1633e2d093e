import type { NextStep } from "./next-step.js";

/** Failures that the command itself knows, beside those of the client library. */
export type CliErrorCode =
  | "usage"
  | "issuer_missing"
  | "not_signed_in"
  | "other_issuer"
  | "keyring_unavailable"
  | "config_invalid"
  | "service_refused"
  | "service_failed"
  | "not_saved"
  | "internal";

/** Text of another party, and who it is. */
export interface Quotation {
  by: string;
  text: string;
}

/** What a {@link CliError} says: what happened, why, what others say about it, and what to do next. */
export interface CliErrorText {
  what: string;
  why?: string;
  hint: string;
  /** What the hint ends with, when it is something to type. */
  next?: NextStep | undefined;
  quote?: Quotation | undefined;
  exitCode: number;
  cause?: unknown;
}

/** A failure with a stable code, three lines of words and an exit code. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: CliErrorCode;
  readonly what: string;
  readonly why: string | undefined;
  /** What to do next, in words; with `next`, words that a command follows. */
  readonly hint: string;
  readonly next: NextStep | undefined;
  readonly quote: Quotation | undefined;
  readonly exitCode: number;

  constructor(code: CliErrorCode, text: CliErrorText) {
    super(text.why === undefined ? text.what : `${text.what} ${text.why}`, { cause: text.cause });
    this.code = code;
    this.what = text.what;
    this.why = text.why;
    this.hint = text.hint;
    this.next = text.next;
    this.quote = text.quote;
    this.exitCode = text.exitCode;
  }
}
