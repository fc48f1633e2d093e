import { rm } from "node:fs/promises";
import { withFileLock } from "./file-lock.js";
import { readPrivateFile, writePrivateFile } from "./private-file.js";

/**
 * Where one session is kept: one text, which the client alone understands.
 *
 * `exclusively` keeps out other processes that use the same place, so that one renews the session and the others use the
 * result. A lock that fails at times does no harm: two processes that renew at the same time get the same refresh token.
 */
export interface SessionStore {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
  remove(): Promise<void>;
  exclusively<T>(run: () => Promise<T>): Promise<T>;
}

/** A store that forgets everything when the process ends. */
export function memoryStore(): SessionStore {
  let kept: string | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return {
    read: async () => kept,
    write: async (text) => {
      kept = text;
    },
    remove: async () => {
      kept = undefined;
    },
    exclusively: async (run) => {
      const mine = last.then(run, run);
      last = mine.catch(() => undefined);
      return await mine;
    },
  };
}

/** A store in one file with mode 0600. It refuses to read a file that others can read. */
export function fileStore(path: string): SessionStore {
  return {
    read: async () => await readPrivateFile(path),
    write: async (text) => await writePrivateFile(path, text),
    remove: async () => await rm(path, { force: true }),
    exclusively: async (run) => await withFileLock(`${path}.lock`, run),
  };
}
