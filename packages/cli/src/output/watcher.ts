import type { Runtime, Watcher } from "../runtime.js";
import { createOutput, type OutputMode } from "./output.js";

const QUIET_MS = 1000;

/** Creates the watcher of one command. */
export function createWatcher(runtime: Runtime, mode: OutputMode): Watcher {
  const output = createOutput(runtime, mode);
  const shows = runtime.stderrIsTerminal && !mode.agent && !mode.json;
  return {
    waitFor: (what) => {
      if (!shows) return () => undefined;
      let seconds = 0;
      let done = (): void => undefined;
      const timer = setInterval(() => {
        seconds += 1;
        done();
        done = output.whileWaiting(`Waiting for ${what} … ${String(seconds)} s  (Ctrl-C stops)`);
      }, QUIET_MS);
      timer.unref();
      return () => {
        clearInterval(timer);
        done();
      };
    },
    tell: mode.verbose ? (line) => output.note(output.quiet(line)) : undefined,
  };
}
