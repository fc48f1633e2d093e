import type { Cluster } from "node:cluster";

let warned = false;

/** Whether this process is one of several that `node:cluster` (or PM2 in cluster mode) started. */
export function isClusterWorker(): boolean {
  // Asked for only here: importing node:cluster costs every short-lived command some milliseconds.
  return (process.getBuiltinModule("node:cluster") as unknown as Cluster).isWorker;
}

/** Says once per process that its neighbours do not know what it remembers. */
export function warnAboutSeveralProcesses(): void {
  if (warned) return;
  warned = true;
  process.emitWarning(
    "inMemory() remembers used proofs in this process only, but this process is a cluster worker: a proof could be used once per worker. Use @authz/replay-postgres or @authz/replay-redis.",
    { type: "AuthzWarning", code: "AUTHZ_REPLAY_IN_MEMORY" },
  );
}
