import { once } from "node:events";
import { createProofChecker, DpopError, spendProof } from "@authz/dpop";
import type { OpenReplayStore, Presentations } from "./open-replay-store.js";

/** Runs in its own process: presents a proof as often as the parent says, and reports the outcome of each. */
export async function answerPresentations(openStore: (address: string) => OpenReplayStore): Promise<void> {
  const opened = openStore(process.argv[2] ?? "");
  const checker = createProofChecker();
  // One use of its own: the connection is there, and the processes then really compete.
  await opened.store.consume({
    key: `warm-up-${process.pid}`,
    expiresAt: Math.floor(Date.now() / 1000) + 60,
  });
  const received = once(process, "message");
  process.send?.("ready");
  const [{ count, ...input }] = (await received) as [Presentations];

  const presentations = Array.from({ length: count }, async () =>
    spendProof(checker.check(input), opened.store),
  );
  const outcomes = (await Promise.allSettled(presentations)).map((result) => {
    if (result.status === "fulfilled") return "accepted";
    return result.reason instanceof DpopError ? result.reason.reason : String(result.reason);
  });
  process.send?.(outcomes, () => process.disconnect());
  await opened.close();
}
