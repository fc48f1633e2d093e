const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type Signal = (typeof signals)[number];

// Signals belong to the process, so what answers to them does, too.
const tidyings = new Set<() => void>();
const stops: (() => void)[] = [];
let holds = 0;
let held: Signal | undefined;
let listening = false;

/** Has something tidied up, at once and without waiting, before a signal ends the process. Answers with what takes that back. */
export function tidyWhenInterrupted(tidy: () => void): () => void {
  tidyings.add(tidy);
  listenWhileNeeded();
  return () => {
    tidyings.delete(tidy);
    listenWhileNeeded();
  };
}

/**
 * Holds back the first signal while something must not be torn, like the renewal of a session, which would have to be asked for again. A
 * second signal is not held back.
 */
export async function holdingInterruptions<T>(run: () => Promise<T>): Promise<T> {
  holds += 1;
  listenWhileNeeded();
  try {
    return await run();
  } finally {
    holds -= 1;
    const waiting = holds === 0 ? held : undefined;
    if (waiting !== undefined) {
      held = undefined;
      deliver(waiting);
    }
    listenWhileNeeded();
  }
}

/** Runs something that waits for a person, and lets Ctrl-C end the wait in its own words. */
export async function untilInterrupted<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  stops.push(stop);
  listenWhileNeeded();
  try {
    return await run(controller.signal);
  } finally {
    if (stops.includes(stop)) stops.splice(stops.indexOf(stop), 1);
    listenWhileNeeded();
  }
}

function onSignal(signal: Signal): void {
  if (holds > 0 && held === undefined) held = signal;
  else deliver(signal);
}

function deliver(signal: Signal): void {
  const stop = signal === "SIGINT" ? stops.pop() : undefined;
  if (stop !== undefined) {
    stop();
    return;
  }
  for (const tidy of tidyings) tidy();
  for (const each of signals) process.removeListener(each, onSignal);
  process.kill(process.pid, signal);
}

function listenWhileNeeded(): void {
  const needed = tidyings.size + stops.length + holds > 0;
  if (needed === listening) return;
  listening = needed;
  for (const signal of signals) {
    if (needed) process.on(signal, onSignal);
    else process.removeListener(signal, onSignal);
  }
}
