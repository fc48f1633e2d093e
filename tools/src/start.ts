/** `npm start`: runs the whole system until Ctrl-C. */
import { createProgress } from "../progress.mjs";
import { keyringWorks } from "./development/keyring.js";
import { readSettings } from "./development/settings.js";
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
  await system.start(createProgress());
  process.stdout.write(summaryText(settings, { keyringWorks: await keyring }));
  try {
    await Promise.race([interrupted, system.broken]);
  } finally {
    await system.stop();
  }
  process.stderr.write("  Stopped.\n");
}

main().catch((error: unknown) => {
  if (error instanceof StoppedError) {
    process.stderr.write("  Stopped.\n");
  } else {
    reportFailure(error);
  }
});
