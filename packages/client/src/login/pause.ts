/** Waits, but not any longer once the signal says stop. */
export function pauseUnlessStopped(signal: AbortSignal | undefined): (seconds: number) => Promise<void> {
  return async (seconds) => {
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, seconds * 1000);
      signal?.addEventListener("abort", end, { once: true });
      if (signal?.aborted === true) end();
    });
  };
}
