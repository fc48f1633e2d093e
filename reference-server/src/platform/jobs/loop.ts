import type { Logger } from "pino";

/** Work that a process repeats while it runs. */
export interface Loop {
  readonly start: () => void;
  /** Ends the repetition; resolves when a run that was under way has ended. */
  readonly stop: () => Promise<void>;
}

export interface LoopOptions {
  readonly everySeconds: number;
  /** One run, which should end soon after the signal. When it throws, the loop goes on. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** Called with the first failure of a row of failed runs, and then once a minute with the last. */
  readonly onError: (error: unknown, runs: FailedRuns) => void;
}

interface FailedRuns {
  /** Failed runs since the last report. */
  readonly failed: number;
}

/** Logs failed runs as a warning. */
export function logFailures(
  log: Pick<Logger, "warn">,
  { code, message }: { readonly code: string; readonly message: string },
): LoopOptions["onError"] {
  return (err, runs) => log.warn({ code, ...runs, err }, message);
}

const reportSeconds = 60;

/**
 * Creates a loop. The next run begins `everySeconds` after the end of the one before, so runs never overlap.
 *
 * Its timer does not keep the process alive.
 */
export function createLoop({ everySeconds, work, onError }: LoopOptions): Loop {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let unreported = 0;
  /** Last report of the current row of failures. */
  let reportedAt: number | undefined;

  const run = async () => {
    try {
      await work(stopping.signal);
      unreported = 0;
      reportedAt = undefined;
    } catch (error) {
      unreported += 1;
      report(error);
    }
    schedule();
  };
  const report = (error: unknown) => {
    const now = performance.now();
    if (reportedAt !== undefined && now - reportedAt < reportSeconds * 1000) return;
    const failed = unreported;
    unreported = 0;
    reportedAt = now;
    onError(error, { failed });
  };
  const schedule = () => {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      running = run();
    }, everySeconds * 1000).unref();
  };

  return {
    start: schedule,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
