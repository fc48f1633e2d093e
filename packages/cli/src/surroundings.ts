import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { isatty } from "node:tty";
import { packageFolder, packageVersion } from "./installation.js";

/** Everything a command takes from the process it runs in. Tests bring their own. */
export interface Surroundings {
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
  stdinIsTerminal: boolean;
  stdoutIsTerminal: boolean;
  stderrIsTerminal: boolean;
  /** Width of the terminal in characters. */
  columns: number;
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  home: string;
  clock: () => number;
  /** Waits, at most until the signal says stop. */
  pause: (seconds: number, signal?: AbortSignal) => Promise<void>;
  /** The version of this package. */
  version: () => string;
  /** Has the registry asked for a newer version, by a process that nobody waits for. */
  startUpdateCheck: () => void;
}

/** The surroundings of the running process. */
export function processSurroundings(): Surroundings {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    stdinIsTerminal: isatty(0),
    stdoutIsTerminal: isatty(1),
    stderrIsTerminal: isatty(2),
    // A terminal that does not know its size says 0.
    columns: process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : 80,
    env: process.env,
    platform: process.platform,
    home: homedir(),
    clock: Date.now,
    pause: async (seconds, signal) => {
      const options = signal === undefined ? {} : { signal };
      await setTimeout(seconds * 1000, undefined, options).catch(() => undefined);
    },
    version: packageVersion,
    startUpdateCheck: () => {
      const script = join(packageFolder(), "bin", "check-update.js");
      const options = { detached: true, stdio: "ignore", windowsHide: true } as const;
      const child = spawn(process.execPath, [script], options);
      child.on("error", () => undefined);
      child.unref();
    },
  };
}
