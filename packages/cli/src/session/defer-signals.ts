import type { SessionStore } from "@authz/client";
import { holdingInterruptions } from "../interruption.js";

/**
 * Holds back the first Ctrl-C while the session is being changed, so that a renewal that is under way is kept and need not be asked
 * for again. A second Ctrl-C ends the process at once.
 */
export function deferSignals(store: SessionStore): SessionStore {
  return {
    ...store,
    exclusively: async (run) => await store.exclusively(async () => await holdingInterruptions(run)),
  };
}
