import { CommanderError } from "commander";
import { EXIT } from "./exit-code.js";
import type { OutputMode } from "./output/output.js";
import { createProgram } from "./program/program.js";
import { processSurroundings, type Surroundings } from "./surroundings.js";

/**
 * Runs one command and answers with its exit code: 0 done, 1 failure, 2 usage, 3 sign-in needed, 4 not allowed, 5 unreachable.
 */
export async function main(
  args: readonly string[],
  surroundings: Surroundings = processSurroundings(),
): Promise<number> {
  const mode: OutputMode = { json: args.includes("--json"), agent: args.includes("--agent") };
  // Whoever reads our output may stop early (`authz … | head`): that is their right, not an error.
  surroundings.stdout.on("error", ignoreClosedPipe);
  try {
    return await createProgram(surroundings, mode).run(args.length === 0 ? ["--help"] : args);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    if (isClosedPipe(error)) return EXIT.ok;
    const { reportError } = await import("./output/report-error.js");
    return reportError(error, surroundings, mode);
  } finally {
    await speakOfUpdates(surroundings, mode);
    surroundings.stdout.off("error", ignoreClosedPipe);
  }
}

/** Whatever is wrong with updates never changes how a command ends. */
async function speakOfUpdates(surroundings: Surroundings, mode: OutputMode): Promise<void> {
  if (!surroundings.stderrIsTerminal) return;
  const { mayNotice, noticeUpdate } = await import("./update/update-notice.js");
  if (mayNotice(surroundings, mode)) await noticeUpdate(surroundings, mode).catch(() => undefined);
}

function ignoreClosedPipe(error: unknown): void {
  if (!isClosedPipe(error)) throw error;
}

function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}
