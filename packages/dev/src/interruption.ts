const REPEAT_MILLISECONDS = 1000;

/**
 * Calls `first` when somebody asks this process to end, and `again` when they insist.
 *
 * npm forwards a Ctrl-C that the terminal has already delivered, so two signals in one moment count as one.
 */
export function onInterruption(first: () => void, again: () => void): void {
  let firstAt: number | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (firstAt === undefined) {
        firstAt = Date.now();
        first();
      } else if (Date.now() - firstAt > REPEAT_MILLISECONDS) {
        again();
      }
    });
  }
}
