import type { SessionStore } from "./session-store.js";

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
