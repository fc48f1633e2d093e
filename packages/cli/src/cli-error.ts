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

/** A failure with a stable code, three lines of words and an exit code. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly code: CliErrorCode;
  readonly what: string;
  readonly why: string | undefined;
  readonly hint: string;
  readonly exitCode: number;

  constructor(
    code: CliErrorCode,
    text: { what: string; why?: string; hint: string; exitCode: number; cause?: unknown },
  ) {
    super(text.why === undefined ? text.what : `${text.what} ${text.why}`, { cause: text.cause });
    this.code = code;
    this.what = text.what;
    this.why = text.why;
    this.hint = text.hint;
    this.exitCode = text.exitCode;
  }
}
