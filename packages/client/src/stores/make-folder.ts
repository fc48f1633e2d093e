import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { isMissing } from "./error-code.js";

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
