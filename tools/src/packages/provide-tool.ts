import { spawn } from "node:child_process";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";

/** What only tests need, and a registry other than npm's brings. */
export interface TestTool {
  /** Of its folder. With everything that the content follows from, such as versions. */
  readonly name: string;
  /** Programs that must be on PATH. */
  readonly needs: readonly string[];
  /** What is not tested without it, for the line that says so. */
  readonly tests: string;
  /** Fills a folder, which is moved afterwards. */
  readonly make: (folder: string) => Promise<void>;
}

/** Between runs; open to other accounts when root keeps it, since PostgreSQL does not run as root. */
const cache =
  process.getuid?.() === 0
    ? "/var/cache/authz-tests"
    : join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "authz-tests");

/** What a machine lacks, by what the clients of registries say without it. */
const lacks: readonly (readonly [RegExp, string])[] = [
  [/ensurepip is not available|No module named (?:pip|venv|ensurepip)/, "Python has no pip or no venv here"],
  [/No matching distribution found/, "a package has no build for this Python"],
  [
    /no such host|Temporary failure in name resolution|Name or service not known|connection refused|i\/o timeout|Network is unreachable|Connection timed out|NewConnectionError|ReadTimeoutError/i,
    "the package registry cannot be reached",
  ],
];

/**
 * Returns the folder of a tool, made once per machine. On a machine that cannot make it, `undefined`, and one line says
 * what is left out.
 *
 * @throws {Error} The tool cannot be made although everything for it is there.
 */
export async function provideTool({ name, needs, tests, make }: TestTool): Promise<string | undefined> {
  const leaveOut = (why: string) => {
    console.warn(`Left out: ${tests}: ${why}.`);
    return undefined;
  };
  const missing = needs.filter((program) => findProgram(program) === undefined);
  if (missing.length > 0) return leaveOut(`not installed here: ${missing.join(", ")}`);
  const folder = join(cache, name);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true, mode: 0o755 });
  const unfinished = mkdtempSync(`${folder}-`);
  try {
    await make(unfinished);
    chmodSync(unfinished, 0o755);
    // Another run may have made it meanwhile.
    if (!existsSync(folder)) renameSync(unfinished, folder);
    return folder;
  } catch (error) {
    const [, lack] = lacks.find(([said]) => said.test((error as Error).message)) ?? [];
    if (lack === undefined) throw error;
    return leaveOut(lack);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** The path of a program, as a shell finds it. */
export function findProgram(program: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @throws {Error} The program failed; the message has the end of what it said. */
export async function runTool(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [code, said] = await Promise.all([
    new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    }),
    Promise.all([text(child.stdout), text(child.stderr)]),
  ]);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed.\n${said.join("\n").slice(-2_000)}`);
}
