import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

export function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

/**
 * Makes a folder and the missing ones above it.
 *
 * Each is tried once. Node's own `recursive` tries for ever where the system says "no such folder" about a folder that it will not
 * make, such as one below `/proc`.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) throw error;
    await makeFolder(dirname(path), mode);
    await makeOne(path, mode);
  }
}

/** A folder that is there already, or that another process has just made, is good as well. */
async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const isFolder = await stat(path).then(
      (facts) => facts.isDirectory(),
      () => false,
    );
    if (!isFolder) throw error;
  }
}

const problems: Readonly<Record<string, string>> = {
  EACCES: "You may not use it: its permissions, or those of a folder above it, say so.",
  EPERM: "You may not use it: its permissions, or those of a folder above it, say so.",
  EDQUOT: "Your disk quota is used up.",
  EEXIST: "There is already something else with this name.",
  EISDIR: "It is a folder.",
  ELOOP: "Its links form a loop.",
  EMFILE: "Too many files are open.",
  ENAMETOOLONG: "Its name is too long.",
  ENOENT: "There is no such file or folder.",
  ENOSPC: "The disk is full.",
  ENOTDIR: "A part of its path is a file and not a folder.",
  EROFS: "It is on a disk that cannot be written to.",
};

/** Why a file cannot be used, in words; undefined when the cause says nothing. */
export function fileProblem(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  return problems[code] ?? cause.message;
}
