/** Loaded into a server process: SIGCONT begins the next round of everything that it repeats in the background. */
import process from "node:process";

const { setTimeout: start, clearTimeout: clear } = globalThis;
/** By timer. Time limits are shorter, or keep the process alive. */
const pending = new Map();

globalThis.setTimeout = Object.assign((callback, milliseconds, ...values) => {
  const begin = () => {
    pending.delete(timer);
    callback(...values);
  };
  const timer = start(begin, milliseconds);
  if (milliseconds >= 10_000) pending.set(timer, begin);
  return timer;
}, start);

globalThis.clearTimeout = (timer) => {
  pending.delete(timer);
  clear(timer);
};

process.on("SIGCONT", () => {
  // As it is now: what begins may set its next timer at once.
  for (const [timer, begin] of Array.from(pending)) {
    if (timer.hasRef()) continue;
    clear(timer);
    begin();
  }
});
