import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { Settings } from "../development/settings.js";
import { ReadableError } from "../readable-error.js";

/** The `authz` command with a home of its own, apart from the real session of the user. */
export interface AuthzCommand {
  /**
   * Runs it with `--json` and gives the document it printed.
   *
   * @throws {ReadableError} It failed; the message has what it said.
   */
  run(args: readonly string[], options?: RunOptions): Promise<unknown>;
  /** Runs it and returns what it wrote, also after a failure. */
  read(
    args: readonly string[],
    input?: string,
  ): Promise<{ readonly stdout: string; readonly stderr: string }>;
  /** Where the session of its user is kept. */
  readonly sessionFile: string;
  /** Removes that home. */
  remove(): void;
}

interface RunOptions {
  /** Receives what it says to people, line by line. */
  readonly onLine?: (line: string) => void;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

export function createAuthzCommand(settings: Settings): AuthzCommand {
  const home = mkdtempSync(join(tmpdir(), "authz-demo-"));
  const env = {
    ...settings.inherited,
    PATH: process.env["PATH"],
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_CACHE_HOME: join(home, "cache"),
    AUTHZ_TOKEN_STORE: "file",
  };
  const program = join(settings.root, "node_modules", ".bin", "authz");
  return {
    sessionFile: join(home, "state", "authz", "session.json"),
    remove: () => rmSync(home, { recursive: true, force: true }),
    async read(args, input = "") {
      const child = spawn(program, [...args], { cwd: home, env, stdio: "pipe" });
      child.stdin.end(input);
      const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
      return { stdout, stderr };
    },
    async run(args, { onLine, signal } = {}) {
      const child = spawn(program, [...args, "--json"], {
        cwd: home,
        env,
        stdio: ["ignore", "pipe", "pipe"],
        ...(signal === undefined ? {} : { signal }),
      });
      const complaints: string[] = [];
      createInterface(child.stderr).on("line", (line) => {
        complaints.push(line);
        onLine?.(line);
      });
      const ended = new Promise<number>((resolve, reject) => {
        child.once("error", reject);
        child.once("close", (code) => resolve(code ?? -1));
      });
      const [output, code] = await Promise.all([text(child.stdout), ended]);
      if (code !== 0) {
        throw new ReadableError(
          `authz ${args.join(" ")} failed (exit code ${code}).\n${complaints.join("\n")}`,
        );
      }
      return JSON.parse(output) as unknown;
    },
  };
}
