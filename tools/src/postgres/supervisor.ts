import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Account } from "./account.js";

/**
 * Starts the server and, beside it, a watcher that reads our pipe. The pipe ends when we close it or when we die, even
 * of SIGKILL: then the watcher asks the server for a fast shutdown (SIGINT).
 */
const SCRIPT = `
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
{ cat; kill -INT "$server"; } <&3 >/dev/null 2>&1 &
watcher=$!
wait "$server"
code=$?
kill "$watcher"
exit "$code"
`;

/** One supervised program. Ending its `stdin` ends the program. */
export type Supervised = ChildProcessByStdio<Writable, null, Readable>;

/**
 * Starts a program that stops when this process does.
 *
 * It gets a session of its own, so Ctrl-C in the terminal does not reach it before the programs that need it are down.
 */
export function superviseCommand(
  command: readonly string[],
  options: {
    readonly directory: string;
    readonly account: Account | undefined;
    readonly env: NodeJS.ProcessEnv;
  },
): Supervised {
  return spawn("/bin/sh", ["-c", SCRIPT, "postgres", ...command], {
    cwd: options.directory,
    detached: true,
    env: options.env,
    stdio: ["pipe", "ignore", "pipe"],
    ...options.account,
  });
}
