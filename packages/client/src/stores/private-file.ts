import { randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { chmod, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { AuthzClientError } from "../errors.js";
import { fileProblem, isMissing, makeFolder } from "./file-system.js";

const windows = process.platform === "win32";

/** What others may do with a file that is read. */
export interface PrivateFileOptions {
  /** Accept a file that others can read but not change: for settings, not for secrets. */
  readableByOthers?: boolean;
}

/**
 * Reads a file that belongs to this user alone, or answers undefined when there is none.
 *
 * @throws {AuthzClientError} `store_unsafe` when others could read or change it.
 */
export async function readPrivateFile(
  path: string,
  { readableByOthers = false }: PrivateFileOptions = {},
): Promise<string | undefined> {
  const refused = readableByOthers ? 0o022 : 0o077;
  try {
    // At once: it is small, and the threads that would read it cost a command more to start than all its files.
    const facts = statSync(path);
    const text = readFileSync(path, "utf8");
    if (!windows && (facts.mode & refused) !== 0) throw openToOthers(path, facts.mode, readableByOthers);
    if (!windows && facts.uid !== process.getuid?.()) throw foreignOwner(path);
    return text;
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw cause instanceof AuthzClientError ? cause : unusable(path, cause);
  }
}

/** Replaces a file in one step: a reader sees the old text or the new one, also after a crash. Mode 0600 in a 0700 folder. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await makePrivateFolder(dirname(path));
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw cause instanceof AuthzClientError ? cause : unusable(path, cause);
  }
}

/** Makes the folder (0700) when it is missing, and takes write access from others when it is there. */
export async function makePrivateFolder(path: string): Promise<void> {
  await makeFolder(path, 0o700);
  if (windows) return;
  const { mode } = await stat(path);
  if ((mode & 0o022) !== 0) await chmod(path, 0o700);
}

function openToOthers(path: string, mode: number, readableByOthers: boolean): AuthzClientError {
  const modeText = (mode & 0o777).toString(8).padStart(4, "0");
  return readableByOthers
    ? new AuthzClientError("file_writable_by_others", {
        what: `${path} is not used, because others on this computer can change it.`,
        why: `Its mode is ${modeText}.`,
        path,
      })
    : new AuthzClientError("file_readable_by_others", {
        what: `${path} is not used, because others on this computer can read it.`,
        why: `Its mode is ${modeText}, and it holds the keys of your session.`,
        path,
      });
}

function foreignOwner(path: string): AuthzClientError {
  return new AuthzClientError("file_of_another_user", {
    what: `${path} is not used, because it belongs to another user.`,
    path,
  });
}

/** The error for a file that cannot be read or written. */
export function unusable(path: string, cause: unknown): AuthzClientError {
  const why = fileProblem(cause);
  return new AuthzClientError("file_unusable", {
    what: `${path} cannot be used.`,
    path,
    ...(why === undefined ? {} : { why }),
    cause,
  });
}
