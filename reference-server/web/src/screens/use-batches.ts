import { useEffect, useRef, useState } from "react";

export interface Batches<Sum> {
  readonly state: "idle" | "working" | "done" | "stopped" | "failed";
  /** The result of all batches so far. */
  readonly sum: Sum;
  readonly error?: unknown;
}

/**
 * Sends requests one after another until nothing is left or the person stops it.
 *
 * @param send - sends one batch; returns the new sum and whether there is more to do
 */
export function useBatches<Sum>(
  initial: Sum,
  send: (sum: Sum, signal: AbortSignal) => Promise<{ readonly sum: Sum; readonly more: boolean }>,
) {
  const [batches, setBatches] = useState<Batches<Sum>>({ state: "idle", sum: initial });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (from: Sum = initial) => {
    running.current?.abort();
    const control = new AbortController();
    running.current = control;
    const { signal } = control;
    let sum = from;
    let more = true;
    setBatches({ state: "working", sum });
    try {
      while (more && !signal.aborted) {
        ({ sum, more } = await send(sum, signal));
        setBatches({ state: "working", sum });
      }
      setBatches({ state: more ? "stopped" : "done", sum });
    } catch (error) {
      const isStopped = error instanceof DOMException && error.name === "AbortError";
      setBatches(isStopped ? { state: "stopped", sum } : { state: "failed", sum, error });
    }
  };
  return { batches, start, stop: () => running.current?.abort() };
}
