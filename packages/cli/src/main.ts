import { CommanderError } from "commander";
import { EXIT } from "./exit-code.js";
import type { OutputMode } from "./output/output.js";
import { writeFailure } from "./output/send.js";
import { createWatcher, type Watcher } from "./output/watcher.js";
import { createProgram } from "./program/program.js";
import { processSurroundings, type Surroundings } from "./surroundings.js";

/**
 * Runs one command and answers with its exit code: 0 done, 1 failure, 2 usage, 3 sign-in needed, 4 not allowed, 5 unreachable,
 * 130 interrupted.
 */
export async function main(
  args: readonly string[],
  surroundings: Surroundings = processSurroundings(),
): Promise<number> {
  const has = (option: string): boolean => args.includes(option);
  const mode: OutputMode = { json: has("--json"), agent: has("--agent"), verbose: has("--verbose") };
  const code = await run(args, surroundings, mode);
  await speakOfUpdates(surroundings, mode);
  return code;
}

async function run(args: readonly string[], surroundings: Surroundings, mode: OutputMode): Promise<number> {
  const watched = withWatcher(surroundings, createWatcher(surroundings, mode));
  const program = createProgram(watched, mode, args.length === 0 ? ["--help"] : args);
  try {
    const code = await program.run().catch(helpIsNoFailure);
    await requireWritten(surroundings);
    return code;
  } catch (error) {
    const { reportError } = await import("./output/report-error.js");
    return reportError(error, { surroundings, mode, invocation: program.invocation() });
  }
}

/** The same surroundings with a watcher. A copy would open every stream, which most commands need not wait for. */
function withWatcher(surroundings: Surroundings, watcher: Watcher): Surroundings {
  return Object.create(surroundings, { watcher: { value: watcher, enumerable: true } }) as Surroundings;
}

function helpIsNoFailure(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
  throw error;
}

/** A full disk under `authz … > file` must not look like success. */
async function requireWritten({ stdout }: Surroundings): Promise<void> {
  const failure = await writeFailure(stdout);
  if (failure === undefined) return;
  const { outputLost } = await import("./output/report-error.js");
  throw outputLost(failure);
}

/** Whatever is wrong with updates never changes how a command ends. */
async function speakOfUpdates(surroundings: Surroundings, mode: OutputMode): Promise<void> {
  if (!surroundings.stderrIsTerminal) return;
  const { mayNotice, noticeUpdate } = await import("./update/update-notice.js");
  if (mayNotice(surroundings, mode)) await noticeUpdate(surroundings, mode).catch(() => undefined);
}
