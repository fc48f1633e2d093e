import type { Logger } from "pino";
import { createLoop, type Loop } from "../platform/jobs/loop.js";
import type { OpenStore } from "../store/store.js";
import { indexEvents } from "./index-events.js";

const indexSeconds = 1;

/** Keeps the search and the counts of the audit trail close behind its seals while the server runs. */
export function createAuditIndexer({
  store,
  log,
}: {
  readonly store: OpenStore;
  readonly log: Pick<Logger, "warn">;
}): Loop {
  return createLoop({
    everySeconds: indexSeconds,
    work: async (signal) => void (await indexEvents(store, signal)),
    onError: (err, runs) =>
      log.warn(
        { code: "AUDIT_INDEX_FAILED", ...runs, err },
        "Indexing events for the audit search failed; trying again.",
      ),
  });
}
