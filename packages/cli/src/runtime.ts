import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { isatty } from "node:tty";
import { debuglog } from "node:util";
import { type Exposure, findExposure } from "./exposure.js";
import { outliveReader } from "./streams.js";

/** Shows waits and, with `--verbose`, every exchange. */
export interface Watcher {
  /** Starts a wait; the returned function ends it. A wait of more than a second is shown on a terminal. */
  waitFor: (what: string) => () => void;
  /** One line on stderr; undefined without `--verbose`. */
  log: ((line: string) => void) | undefined;
}

/** Everything a command takes from the process it runs in. Tests bring their own. */
export interface Runtime {
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
  /** Where files without a given place go. */
  temporary: string;
  clock: () => number;
  /** Waits, at most until the signal says stop. */
  pause: (seconds: number, signal?: AbortSignal) => Promise<void>;
  /** Shows what a command waits for and what it sends. */
  watcher?: Watcher;
  /** What would show credentials to others if a command used them now, and what to do about it. */
  exposure: () => Exposure | undefined;
  /** The program as the person types it, such as `npx @authz/cli`. */
  program: string;
  /** The version of this package. */
  version: () => string;
  /** Where a newer version is, for a program that no package manager has installed. */
  newVersionsAt?: string;
  /** Has the registry asked for a newer version, by a detached process. */
  startUpdateCheck: () => void;
}

/** What the running process gives. */
export function nodeRuntime(): Runtime {
  return {
    // Each stream is opened when it is first asked for: most commands read no input, and say nothing on stderr.
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return outliveReader(process.stdout);
    },
    get stderr() {
      return outliveReader(process.stderr);
    },
    stdinIsTerminal: isatty(0),
    stdoutIsTerminal: isatty(1),
    stderrIsTerminal: isatty(2),
    // A terminal that does not know its size says 0.
    columns: process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : 80,
    env: process.env,
    platform: process.platform,
    home: homedir(),
    temporary: tmpdir(),
    clock: Date.now,
    pause: async (seconds, signal) => {
      const options = signal === undefined ? {} : { signal };
      await setTimeout(seconds * 1000, undefined, options).catch(() => undefined);
    },
    exposure: () => {
      const { env, execArgv } = process;
      return findExposure({ env, execArgv, isDebugged: (section) => debuglog(section).enabled });
    },
    program: programName(process.argv[1] ?? ""),
    version: packageVersion,
    startUpdateCheck: () => {
      const script = join(packageFolder(), "bin", "check-update.js");
      const options = { detached: true, stdio: "ignore", windowsHide: true } as const;
      const child = process.getBuiltinModule("node:child_process").spawn(process.execPath, [script], options);
      child.on("error", () => undefined);
      child.unref();
    },
  };
}

/** Where this package is installed, whether the code runs from sources, from what tsc wrote, or from the bundle. */
function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("@authz/cli/package.json"));
}

/** The version of this package, like `1.2.0`. */
function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(join(packageFolder(), "package.json"), "utf8")) as {
    version: string;
  };
  return manifest.version;
}

/**
 * How the person types this program. `npx` and its like put it into a folder of their own that is on no path, so that `authz` alone
 * would not be found.
 *
 * @param script The path that Node was started with.
 */
export function programName(script: string): string {
  const path = script.replaceAll("\\", "/");
  if (path.includes("/_npx/")) return "npx @authz/cli";
  if (/\/dlx-?[^/]*\//.test(path)) return "pnpm dlx @authz/cli";
  if (/\/bunx-[^/]*\//.test(path)) return "bunx @authz/cli";
  // Installed beside a project. By the package's full name: without it, npx might run another package.
  return path.includes("/node_modules/.bin/") ? "npx @authz/cli" : "authz";
}

/** How to update a program that is typed like this. */
export function updateCommand(program: string): string {
  return program === "authz" ? "npm install --global @authz/cli" : `${program}@latest`;
}
