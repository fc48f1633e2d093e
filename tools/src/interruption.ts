import { onInterruption } from "./parts.js";

export { onInterruption };

/** Stops what runs when somebody interrupts this process, and ends with the code of an interruption; at once when they insist. */
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
