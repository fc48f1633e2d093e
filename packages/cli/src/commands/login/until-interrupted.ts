/** Runs something that waits for a person, and lets Ctrl-C end the wait in its own words. */
export async function untilInterrupted<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const onInterrupt = (): void => stop.abort();
  process.once("SIGINT", onInterrupt);
  try {
    return await run(stop.signal);
  } finally {
    process.removeListener("SIGINT", onInterrupt);
  }
}
