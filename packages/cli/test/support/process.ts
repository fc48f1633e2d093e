import { execFileSync, spawn, spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandResult } from "./cli-world.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..", "..");

/** The command as people run it. */
export const authzProgram = join(root, "packages", "cli", "bin", "authz.js");

let isBuilt = false;

/** Brings the bundle up to date, once for all test files of a process, so that the command can run as its own process. */
export function buildCli(): void {
  if (!isBuilt) execFileSync(process.execPath, [join(root, "packages", "cli", "bundle.mjs")]);
  isBuilt = true;
}

export interface ProcessOptions {
  env: Record<string, string>;
  /** Is called with all output so far, each time it grows. The first text it answers is typed in. */
  onOutput?: (text: string) => string | void;
  stdin?: string;
  /** The user who runs it; that of the tests unless given. */
  uid?: number | undefined;
}

/** Runs a program to its end and collects what it wrote. */
export async function runProcess(
  program: string,
  args: readonly string[],
  { env, onOutput, stdin, uid }: ProcessOptions,
): Promise<CommandResult> {
  const child = spawn(program, args, { env, ...(uid === undefined ? {} : { uid, gid: uid }) });
  let stdout = "";
  let stderr = "";
  let typing = true;
  const react = (): void => {
    const typed = onOutput?.(stdout + stderr);
    if (typeof typed === "string" && typing) child.stdin.write(typed);
    if (typeof typed === "string") typing = false;
  };
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
    react();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
    react();
  });
  if (stdin !== undefined || onOutput === undefined) child.stdin.end(stdin);
  const code = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve(status ?? -1));
  });
  return { code, stdout, stderr };
}

/** Runs `authz` as its own process, without a terminal. */
export async function runAuthz(args: readonly string[], options: ProcessOptions): Promise<CommandResult> {
  return await runProcess(process.execPath, [authzProgram, ...args], options);
}

/** Whether this computer has `script` (util-linux), which runs a command in a pseudo-terminal. */
export const hasPseudoTerminal: boolean =
  process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

/** Runs `authz` in a pseudo-terminal of 100 columns. All it shows comes back as `stdout`. */
export async function runInTerminal(
  args: readonly string[],
  options: ProcessOptions,
): Promise<CommandResult> {
  const command = [process.execPath, authzProgram, ...args]
    .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
    .join(" ");
  return await runProcess("script", ["-qefc", `stty cols 100 rows 30; exec ${command}`, "/dev/null"], {
    ...options,
    env: { ...options.env, SHELL: "/bin/sh" },
  });
}
