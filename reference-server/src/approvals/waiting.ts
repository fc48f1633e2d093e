import type { Clock } from "@authz/dpop";
import type { Logger } from "pino";
import { createLoop, logFailures, type Loop } from "../platform/jobs/loop.js";
import type { Store } from "../store/store.js";

/** Polls that are held until an approval is answered. */
export interface Waiting extends Loop {
  /** Resolves when the approval has an answer or its time is over, after the given time, or at once if too many wait. */
  readonly until: (approvalId: string, seconds: number) => Promise<void>;
}

export interface WaitingOptions {
  readonly store: Pick<Store, "approvals">;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}

/** Held requests per process. Beyond that, clients poll. */
const mostWaiting = 500;
const everySeconds = 0.5;

/**
 * Creates the waiting room of a process. One query per round finds out for all held requests, so that waiting costs the database the same
 * for one and for hundreds, needs no connection of its own, and notices answers that came to any process.
 */
export function createWaiting({ store, clock, log }: WaitingOptions): Waiting {
  const waiting = new Map<string, Set<() => void>>();
  let count = 0;
  let isStopped = false;

  const release = (id: string) => {
    for (const resolve of waiting.get(id) ?? []) resolve();
  };

  const loop = createLoop({
    everySeconds,
    async work() {
      if (waiting.size === 0) return;
      const settled = await store.approvals.findSettled([...waiting.keys()], new Date(clock()));
      for (const id of settled) release(id);
    },
    onError: logFailures(log, {
      code: "APPROVALS_NOT_READ",
      message: "Held polls could not be looked up; trying again.",
    }),
  });

  return {
    start: loop.start,
    async stop() {
      isStopped = true;
      for (const id of waiting.keys()) release(id);
      await loop.stop();
    },
    async until(id, seconds) {
      if (isStopped || count >= mostWaiting) return;
      count += 1;
      const { promise, resolve } = createPromise();
      const timer = setTimeout(resolve, seconds * 1000);
      const others = waiting.get(id) ?? new Set<() => void>();
      waiting.set(id, others.add(resolve));
      await promise;
      clearTimeout(timer);
      count -= 1;
      others.delete(resolve);
      if (others.size === 0) waiting.delete(id);
    },
  };
}

function createPromise(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
