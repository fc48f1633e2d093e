/** `npm start`: runs the whole system until Ctrl-C. */
import { createProgress, type Progress } from "../progress.mjs";
import { isUntouched, playPrelude } from "./demo/prelude.js";
import { readSettings, type Settings } from "./development/settings.js";
import { summaryText } from "./development/summary.js";
import { createDevelopmentSystem, StoppedError } from "./development/system.js";
import { onInterruption } from "./interruption.js";
import { reportFailure } from "./readable-error.js";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

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

/** A console without a single event shows little. A failure is reported and stops nothing: the system itself runs. */
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

const requestTimeoutSeconds = 5;

/** Asks as `authz login` will: another way of asking may find another store, one that the command does not use. */
const probe = `
const [module] = process.argv.slice(1);
const { keyringProblem } = await import(module);
process.exit((await keyringProblem()) === undefined ? 0 : 1);
`;

/**
 * Whether this computer has a keyring that the command-line client can use.
 *
 * Asked in a process of its own: without a desktop session some keyrings wait for ever.
 */
function keyringWorks(settings: Settings): Promise<boolean> {
  const module = pathToFileURL(join(settings.root, "packages/cli/dist/profile/system-keyring.js")).href;
  return new Promise((resolve) => {
    const args = ["--input-type=module", "--eval", probe, module];
    execFile(process.execPath, args, { timeout: requestTimeoutSeconds * 1000 }, (error) =>
      resolve(error === null),
    );
  });
}

main().catch((error: unknown) => {
  if (error instanceof StoppedError) {
    process.stderr.write("  Stopped.\n");
  } else {
    reportFailure(error);
  }
});
