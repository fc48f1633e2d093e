import { setTimeout } from "node:timers/promises";

/** Epoch milliseconds, like `Date.now`. */
export type Clock = () => number;

/** Waits, but not any longer once the signal says stop. */
export async function pauseUnlessStopped(seconds: number, signal?: AbortSignal): Promise<void> {
  const options = signal === undefined ? {} : { signal };
  await setTimeout(seconds * 1000, undefined, options).catch(() => undefined);
}
