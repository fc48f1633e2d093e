import { rm } from "node:fs/promises";
import { withFileLock } from "./file-lock.js";
import { readPrivateFile, writePrivateFile } from "./private-file.js";
import type { SessionStore } from "./session-store.js";

/** A store in one file with mode 0600. It refuses to read a file that others can read. */
export function fileStore(path: string): SessionStore {
  return {
    read: async () => await readPrivateFile(path),
    write: async (text) => await writePrivateFile(path, text),
    remove: async () => await rm(path, { force: true }),
    exclusively: async (run) => await withFileLock(`${path}.lock`, run),
  };
}
