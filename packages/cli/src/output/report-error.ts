import { AuthzClientError } from "@authz/client";
import { CliError } from "../cli-error.js";
import { EXIT, exitCodeFor } from "../exit-code.js";
import type { Surroundings } from "../surroundings.js";
import { toSafeJson } from "./clean-text.js";
import { createOutput, type OutputMode } from "./output.js";

/** A failure as it is reported: a stable code, the words, and the exit code. */
interface Report {
  code: string;
  what: string;
  why: string | undefined;
  hint: string;
  exitCode: number;
  /** Whether a request through a connection may have reached the third party. */
  sent?: string | undefined;
}

/**
 * Tells a failure on stderr, in three lines, as one line for an agent, or as JSON, and answers with the exit code.
 *
 * Text from servers may be part of a failure, so it is cleaned like everything else.
 */
export function reportError(error: unknown, surroundings: Surroundings, mode: OutputMode): number {
  const report = describe(error);
  const message = report.why === undefined ? report.what : `${report.what} ${report.why}`;
  const { code, hint, sent } = report;
  if (mode.json) {
    surroundings.stderr.write(`${toSafeJson({ code, message, hint, sent })}\n`);
    return report.exitCode;
  }
  const output = createOutput(surroundings, mode);
  if (mode.agent) {
    output.note(`${code}: ${message} ${hint}`);
    return report.exitCode;
  }
  output.note(output.bold(report.what));
  if (report.why !== undefined) output.note(report.why);
  output.note(hint);
  if (code === "internal" && (surroundings.env.AUTHZ_DEBUG ?? "") !== "") {
    for (const line of stackOf(error).split("\n")) output.note(output.quiet(line));
  }
  return report.exitCode;
}

function describe(error: unknown): Report {
  if (error instanceof CliError) return error;
  if (error instanceof AuthzClientError) {
    const { code, what, why, hint, sent } = error;
    return { code, what, why, hint, sent, exitCode: exitCodeFor(code) };
  }
  return {
    code: "internal",
    what: "authz failed in a way it was not prepared for.",
    why: error instanceof Error ? error.message : String(error),
    hint: "Run the command again with AUTHZ_DEBUG=1 and report what it prints.",
    exitCode: EXIT.failure,
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? "") : "";
}
