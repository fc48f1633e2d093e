import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { withFileLock, withLentFileLock } from "./file-lock.js";
import { readPrivateFile, writePrivateFile } from "./private-file.js";

const lockNameLength = 16;

/**
 * As long as the slowest network takes that is of any use. A token for a service takes two servers, and each of them a name, a
 * connection, TLS 1.2, its metadata and the token itself: twelve round trips, of 400 ms at the edge of a mobile network. A holder that takes longer hangs.
 */
const defaultLoanSeconds = 5;

/**
 * Where one session is kept: a string that only the client understands.
 *
 * `exclusively` keeps out other processes that use the same place, so that one renews the session and the others use the
 * result. With `what`, it keeps out only those that name the same thing, and only for a few seconds; the store can be used meanwhile. A
 * lock that sometimes fails does no harm: two processes that renew at the same time get the same refresh token.
 */
export interface SessionStore {
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
  remove(): Promise<void>;
  exclusively<T>(run: () => Promise<T>, what?: string): Promise<T>;
}

/** A store that forgets everything when the process ends. */
export function memoryStore(): SessionStore {
  let kept: string | undefined;
  const last = new Map<string | undefined, Promise<unknown>>();
  return {
    read: async () => kept,
    write: async (text) => {
      kept = text;
    },
    remove: async () => {
      kept = undefined;
    },
    exclusively: async (run, what) => {
      const mine = (last.get(what) ?? Promise.resolve()).then(run);
      const over = mine.then(nothing, nothing);
      last.set(what, over);
      try {
        return await mine;
      } finally {
        if (last.get(what) === over) last.delete(what);
      }
    },
  };
}

/** A store in one file with mode 0600. It refuses to read a file that others can read. */
export function fileStore(path: string): SessionStore {
  return {
    read: async () => await readPrivateFile(path),
    write: async (text) => await writePrivateFile(path, text),
    remove: async () => await rm(path, { force: true }),
    exclusively: exclusivelyWith(`${path}.lock`),
  };
}

/** The exclusion among all processes that name the same lock file: for the whole store with that file, for one thing with one beside it. */
export function exclusivelyWith(path: string): SessionStore["exclusively"] {
  return async (run, what) => {
    if (what === undefined) return await withFileLock(path, run);
    const name = createHash("sha256").update(what).digest("hex").slice(0, lockNameLength);
    return await withLentFileLock(`${path}.${name}`, { loanSeconds: defaultLoanSeconds, run });
  };
}

function nothing(): void {
  // The next caller waits for the end, success or not.
}
