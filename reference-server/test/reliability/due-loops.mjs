/** Loaded into a server process: SIGCONT begins the next round of everything that it repeats in the background. */
import process from "node:process";

const start = globalThis.setTimeout;
/** By timer. */
const pending = new Map();

globalThis.setTimeout = Object.assign((callback, milliseconds, ...values) => {
  const begin = () => {
    pending.delete(timer);
    callback(...values);
  };
  const timer = start(begin, milliseconds);
  if (milliseconds >= 5_000) pending.set(timer, begin);
  return timer;
}, start);

process.on("SIGCONT", () => {
  for (const [timer, begin] of pending) {
    // What keeps the process alive is the time limit of something else.
    if (timer.hasRef()) continue;
    clearTimeout(timer);
    begin();
  }
});
