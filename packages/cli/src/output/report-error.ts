import { AuthzClientError, fileProblem } from "@authz/client";
import { quoted } from "@authz/skills/invisible";
import { exitCodes, exitCodeFor } from "../exit-code.js";
import { adviceOn } from "../messages/advice.js";
import { CliError, type Quotation } from "../messages/cli-error.js";
import { type Advice, hintOf, type Invocation } from "../messages/next-step.js";
import type { Runtime } from "../runtime.js";
import { toSafeJson } from "@authz/agent-tools";
import { createOutput, type OutputMode } from "./output.js";

/** A failure as it is reported: a stable code, the words, and the exit code. */
interface Report {
  code: string;
  what: string;
  why: string | undefined;
  advice: Advice;
  /** What another party says about it. */
  quote?: Quotation | undefined;
  exitCode: number;
  /** Whether a request through a connection may have reached the third party. */
  sent?: string | undefined;
  /** Where a person approves the request, and for how many seconds. */
  authorizationUri?: string | undefined;
  expiresIn?: number | undefined;
}

/**
 * Tells a failure on stderr, in three lines, as one line for an agent, or as JSON, and answers with the exit code.
 *
 * Text from servers may be part of a failure, so it is cleaned like everything else.
 */
export function reportError(
  error: unknown,
  { runtime, mode, invocation }: { runtime: Runtime; mode: OutputMode; invocation: Invocation },
): number {
  const report = describe(error);
  const message = report.why === undefined ? report.what : `${report.what} ${report.why}`;
  const { code, quote, sent, authorizationUri, expiresIn } = report;
  const hint = hintOf(report.advice, invocation);
  if (mode.json) {
    runtime.stderr.write(
      `${toSafeJson({ code, message, hint, quote, sent, authorizationUri, expiresIn })}\n`,
    );
    return report.exitCode;
  }
  const output = createOutput(runtime, mode);
  if (mode.agent) {
    output.note([`${code}: ${message}`, ...spoken(quote), hint].join(" "));
    return report.exitCode;
  }
  output.note(output.bold(report.what));
  if (report.why !== undefined) output.note(report.why);
  for (const line of spoken(quote)) output.note(line);
  output.note(hint);
  if (code === "internal" && (runtime.env.AUTHZ_DEBUG ?? "") !== "") {
    for (const line of stackOf(error).split("\n")) output.note(output.quiet(line));
  }
  return report.exitCode;
}

/** The failure for output that could not be written where the shell sends it. */
export function outputLost(cause: Error): CliError {
  const why = fileProblem(cause);
  return new CliError("not_saved", {
    what: "The output could not be written.",
    ...(why === undefined ? {} : { why }),
    hint: "The command itself succeeded. Check where its output goes.",
    exitCode: exitCodes.failure,
    cause,
  });
}

function describe(error: unknown): Report {
  if (error instanceof CliError) {
    const { code, what, why, quote, exitCode } = error;
    return { code, what, why, advice: error, quote, exitCode };
  }
  if (error instanceof AuthzClientError) {
    const { code, what, why, facts } = error;
    const { sent, authorizationUri, expiresInSeconds: expiresIn } = facts;
    const known = { sent, authorizationUri, expiresIn };
    return { code, what, why, advice: adviceOn(error), ...known, exitCode: exitCodeFor(code) };
  }
  return {
    code: "internal",
    what: "authz failed unexpectedly.",
    why: error instanceof Error ? error.message : String(error),
    advice: { hint: "Run the command again with AUTHZ_DEBUG=1 and report what it prints." },
    exitCode: exitCodes.failure,
  };
}

/** Text of another party, marked as theirs. */
function spoken(quote: Quotation | undefined): readonly string[] {
  return quote === undefined ? [] : [`${quote.by} says: ${quoted(quote.text)}`];
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? "") : "";
}
