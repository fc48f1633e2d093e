import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { withTimeout } from "./timeout.js";

/**
 * Starts the program and, beside it, a watcher that reads our pipe. The pipe ends when we close it or when we die, even
 * of SIGKILL: then the watcher sends the program its stop signal. Only what the shell itself can do: PATH may name programs of others.
 */
const script = `
signal=$1; shift
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
{ while read -r line; do :; done; kill -"$signal" "$program"; } <&3 >/dev/null 2>&1 &
watcher=$!
wait "$program"
code=$?
kill "$watcher" 2>/dev/null
exit "$code"
`;

const stopTimeoutSeconds = 20;
const keptLines = 20;

export interface SuperviseOptions {
  readonly command: readonly string[];
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  /** How the program is asked to stop. */
  readonly stopSignal: "INT" | "TERM";
  /** The account it runs as. Default: ours. */
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
  /** Receives each line that the program writes, on stdout or stderr. */
  readonly onLine?: ((line: string) => void) | undefined;
}

export interface SupervisedProcess {
  /** Resolves with the exit code when the program has ended. */
  readonly exited: Promise<number>;
  /** The last lines it wrote. */
  lastLines(): readonly string[];
  /** Asks it to stop, and kills it when it does not. */
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

/**
 * Starts a program that stops when this process does.
 *
 * It gets a session of its own, so Ctrl-C in the terminal does not reach it before the programs that need it are down.
 */
export function supervise(options: SuperviseOptions): SupervisedProcess {
  const child = spawn("/bin/sh", ["-c", script, "supervise", options.stopSignal, ...options.command], {
    cwd: options.directory,
    detached: true,
    env: options.env,
    stdio: ["pipe", "pipe", "pipe"],
    ...options.account,
  });
  const lines: string[] = [];
  const keep = (line: string): void => {
    lines.push(line);
    lines.splice(0, lines.length - keptLines);
    options.onLine?.(line);
  };
  const written = Promise.all([child.stdout, child.stderr].map((stream) => readLines(stream, keep)));
  const exited = new Promise<number>((resolve) => {
    child.once("error", (error) => {
      keep(error.message);
      resolve(-1);
    });
    child.once("exit", (code) => {
      child.stdin.destroy();
      // Its last words arrive after its death; a process it left behind may hold the pipe for ever.
      void withTimeout(written, 1).then(() => resolve(code ?? -1));
    });
  });
  // Writing to a program that is gone is no news.
  child.stdin.on("error", () => undefined);
  const kill = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, "SIGKILL");
    }
  };
  return {
    exited,
    lastLines: () => lines,
    kill,
    async stop() {
      child.stdin.destroy();
      if ((await withTimeout(exited, stopTimeoutSeconds)) === undefined) {
        kill();
        await exited;
      }
    },
  };
}

function readLines(stream: Readable, onLine: (line: string) => void): Promise<void> {
  return new Promise((resolve) => {
    createInterface(stream).on("line", onLine).once("close", resolve);
  });
}
