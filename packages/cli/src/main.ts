import { CommanderError } from "commander";
import { exitCodes } from "./exit-code.js";
import { createOutput, type OutputMode } from "./output/output.js";
import { createProgram } from "./program.js";
import { nodeRuntime, type Runtime, type Watcher } from "./runtime.js";
import { writeFailure } from "./streams.js";

/**
 * Runs one command and answers with its exit code: 0 done, 1 failure, 2 usage, 3 sign-in needed, 4 not allowed, 5 unreachable,
 * 130 interrupted.
 */
export async function main(args: readonly string[], runtime: Runtime = nodeRuntime()): Promise<number> {
  const has = (option: string): boolean => args.includes(option);
  const mode: OutputMode = { json: has("--json"), agent: has("--agent"), verbose: has("--verbose") };
  const code = await run(args, runtime, mode);
  await speakOfUpdates(runtime, mode);
  return code;
}

async function run(args: readonly string[], runtime: Runtime, mode: OutputMode): Promise<number> {
  const watched = withWatcher(runtime, createWatcher(runtime, mode));
  const program = await createProgram(watched, mode, args.length === 0 ? ["--help"] : args);
  try {
    const code = await program.run().catch(helpIsNoFailure);
    await requireWritten(runtime);
    return code;
  } catch (error) {
    const { reportError } = await import("./output/report-error.js");
    return reportError(error, { runtime, mode, invocation: program.invocation() });
  }
}

/** The same runtime with a watcher. A copy would open every stream, which most commands need not wait for. */
function withWatcher(runtime: Runtime, watcher: Watcher): Runtime {
  return Object.create(runtime, { watcher: { value: watcher, enumerable: true } }) as Runtime;
}

function helpIsNoFailure(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
  throw error;
}

/** A full disk under `authz … > file` must not look like success. */
async function requireWritten({ stdout }: Runtime): Promise<void> {
  const failure = await writeFailure(stdout);
  if (failure === undefined) return;
  const { outputLost } = await import("./output/report-error.js");
  throw outputLost(failure);
}

/** A failure of the update check never changes how a command ends. */
async function speakOfUpdates(runtime: Runtime, mode: OutputMode): Promise<void> {
  if (!runtime.stderrIsTerminal) return;
  const { mayNotice, noticeUpdate } = await import("./update/update-notice.js");
  if (mayNotice(runtime, mode)) await noticeUpdate(runtime, mode).catch(() => undefined);
}

const quietMs = 1000;

/** Creates the watcher of one command. */
function createWatcher(runtime: Runtime, mode: OutputMode): Watcher {
  const output = createOutput(runtime, mode);
  const shows = runtime.stderrIsTerminal && !mode.agent && !mode.json;
  return {
    waitFor: (what) => {
      if (!shows) return () => undefined;
      let seconds = 0;
      let done = (): void => undefined;
      const timer = setInterval(() => {
        seconds += 1;
        done();
        done = output.whileWaiting(`Waiting for ${what} … ${String(seconds)} s  (Ctrl-C stops)`);
      }, quietMs);
      timer.unref();
      return () => {
        clearInterval(timer);
        done();
      };
    },
    log: mode.verbose ? (line) => output.note(output.quiet(line)) : undefined,
  };
}
