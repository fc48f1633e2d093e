import { onInterruption } from "./parts.js";

export { onInterruption };

/** Stops what runs when this process is interrupted, and exits with the code of an interruption; at once after a second signal. */
export function stopOnInterruption(running: {
  readonly stop: () => Promise<void>;
  readonly kill: () => void;
}): void {
  onInterruption(
    () => {
      process.exitCode = 130;
      void running.stop().then(() => process.exit());
    },
    () => {
      running.kill();
      process.exit(130);
    },
  );
}
