import { isRunByNpm } from "./config.js";

const repeatMilliseconds = 1000;
const parentCheckMilliseconds = 500;

/**
 * Calls `first` when this process is asked to end, and `again` when it is asked once more.
 *
 * npm forwards a Ctrl-C that the terminal has already delivered, so two signals in one moment count as one. Other signals reach only the shell
 * between npm and this process: when that shell has ended, this process is asked to end too.
 */
export function onInterruption(first: () => void, again: () => void): void {
  let firstAt: number | undefined;
  const interrupt = (): void => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      first();
    } else if (Date.now() - firstAt > repeatMilliseconds) {
      again();
    }
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, interrupt);
  if (!isRunByNpm()) return;
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    if (firstAt === undefined) interrupt();
  }, parentCheckMilliseconds).unref();
}
