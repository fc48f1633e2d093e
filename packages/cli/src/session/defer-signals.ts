import type { SessionStore } from "@authz/client";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Holds back the first Ctrl-C while the session is being changed: a refresh token that was sent but whose successor was not stored
 * would be lost. A second Ctrl-C ends the process at once.
 */
export function deferSignals(store: SessionStore): SessionStore {
  return {
    ...store,
    exclusively: async (run) =>
      await store.exclusively(async () => {
        let held: NodeJS.Signals | undefined;
        const hold = (signal: NodeJS.Signals): void => {
          held = signal;
        };
        for (const signal of SIGNALS) process.once(signal, hold);
        try {
          return await run();
        } finally {
          for (const signal of SIGNALS) process.removeListener(signal, hold);
          if (held !== undefined) process.kill(process.pid, held);
        }
      }),
  };
}
