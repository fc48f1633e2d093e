/** Work that a process repeats while it runs. */
export interface Loop {
  readonly start: () => void;
  /** Ends the repetition; resolves when a run that was under way has ended. */
  readonly stop: () => Promise<void>;
}

export interface LoopOptions {
  readonly everySeconds: number;
  /** One run, which should end soon after the signal. What it throws goes to `onError`, and the loop goes on. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Creates a loop. The next run begins `everySeconds` after the end of the one before, so runs never overlap.
 *
 * Its timer does not keep the process alive.
 */
export function createLoop({ everySeconds, work, onError }: LoopOptions): Loop {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const run = async () => {
    try {
      await work(stopping.signal);
    } catch (error) {
      onError(error);
    }
    schedule();
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
