/** `npm start`: runs the whole system until Ctrl-C. */
import { createProgress, type Progress } from "../progress.mjs";
import { isUntouched, playPrelude } from "./demo/prelude.js";
import { keyringWorks } from "./development/keyring.js";
import { readSettings, type Settings } from "./development/settings.js";
import { summaryText } from "./development/summary.js";
import { createDevelopmentSystem, StoppedError } from "./development/system.js";
import { onInterruption } from "./interruption.js";
import { reportFailure } from "./readable-error.js";

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const system = createDevelopmentSystem(settings);
  const interrupted = new Promise<"interrupted">((resolve) => {
    onInterruption(
      () => {
        process.stderr.write("\n  Stopping. Ctrl-C again ends everything at once.\n");
        resolve("interrupted");
        void system.stop();
      },
      () => {
        system.kill();
        process.exit(130);
      },
    );
  });
  const keyring = keyringWorks(settings);
  const progress = createProgress();
  await system.start(progress);
  await Promise.race([showSomething(settings, progress), interrupted, system.broken]);
  process.stdout.write(summaryText(settings, { keyringWorks: await keyring }));
  try {
    await Promise.race([interrupted, system.broken]);
  } finally {
    await system.stop();
  }
  process.stderr.write("  Stopped.\n");
}

/** A console without a single event shows little. A failure is told and stops nothing: the system itself runs. */
async function showSomething(settings: Settings, progress: Progress): Promise<void> {
  if (!isUntouched(settings)) return;
  const step = progress.step("First sign-ins and requests");
  try {
    await playPrelude(settings);
    step.done();
  } catch (error) {
    step.fail(error instanceof Error ? error.message : String(error));
  }
}

main().catch((error: unknown) => {
  if (error instanceof StoppedError) {
    process.stderr.write("  Stopped.\n");
  } else {
    reportFailure(error);
  }
});
