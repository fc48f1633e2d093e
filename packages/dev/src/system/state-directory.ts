import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, isAbsolute, join, resolve } from "node:path";
import { ReadableError } from "../readable-error.js";

const writableByOthers = 0o022;

/**
 * Where the system of a project keeps everything: below the user's own state folder, by the project's path.
 *
 * Never inside the project, whose files may come from another person: a log there could be a link to another file, and a database could name
 * a program that it starts.
 *
 * @param project - its folder; it need not exist
 */
export function stateDirectoryOf(project: string, env: NodeJS.ProcessEnv, home: string = homedir()): string {
  const path = realPath(project);
  const digest = createHash("sha256").update(path).digest("hex").slice(0, 16);
  const name = basename(path).replaceAll(/[^\w.-]+/g, "-");
  return join(userStateFolder(env, home), "authz-dev", `${name}-${digest}`);
}

/**
 * Makes the folder when it is missing.
 *
 * @throws {ReadableError} Another account could have filled it, or it is a link.
 */
export function prepareStateDirectory(stateDirectory: string): void {
  mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
  const facts = lstatSync(stateDirectory);
  const isOwn = facts.isDirectory() && facts.uid === process.geteuid?.();
  if (!isOwn || (facts.mode & writableByOthers) !== 0) {
    throw new ReadableError(
      `${stateDirectory} is a link, belongs to another account, or can be changed by one.\nMove it away, then try again: what is in it would be started and trusted.`,
    );
  }
}

/** The XDG variable works on every platform; one that is not absolute does not count. */
function userStateFolder(env: NodeJS.ProcessEnv, home: string): string {
  const named = env["XDG_STATE_HOME"] ?? "";
  if (isAbsolute(named)) return named;
  return process.platform === "darwin"
    ? join(home, "Library", "Application Support")
    : join(home, ".local", "state");
}

/** The same project is found through a link as well. */
function realPath(project: string): string {
  try {
    return realpathSync(project);
  } catch {
    return resolve(project);
  }
}
