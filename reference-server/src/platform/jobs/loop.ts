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
  /** Told what the first of several runs threw that failed in a row, and then once a minute what the last one did. */
  readonly onError: (error: unknown, runs: FailedRuns) => void;
}

interface FailedRuns {
  /** How many there were since it was last told. */
  readonly failed: number;
}

const tellSeconds = 60;

/**
 * Creates a loop. The next run begins `everySeconds` after the end of the one before, so runs never overlap.
 *
 * Its timer does not keep the process alive.
 */
export function createLoop({ everySeconds, work, onError }: LoopOptions): Loop {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let untold = 0;
  /** When it was last told of the failures that it is in. */
  let toldAt: number | undefined;

  const run = async () => {
    try {
      await work(stopping.signal);
      untold = 0;
      toldAt = undefined;
    } catch (error) {
      untold += 1;
      tell(error);
    }
    schedule();
  };
  const tell = (error: unknown) => {
    const now = performance.now();
    if (toldAt !== undefined && now - toldAt < tellSeconds * 1000) return;
    const failed = untold;
    untold = 0;
    toldAt = now;
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
