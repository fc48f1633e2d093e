/** `npm run demo`: the main job from end to end, without a human. `-- --json` prints one JSON object and nothing else. */
import { createAuthzCommand } from "./demo/authz-command.js";
import { createNarrator, silentNarrator } from "./demo/narrators.js";
import { findProblems } from "./demo/result.js";
import { tellStory } from "./demo/story.js";
import { ensureRunning } from "./development/ensure-running.js";
import { readSettings } from "./development/settings.js";
import { createDevelopmentSystem, StoppedError } from "./development/system.js";
import { onInterruption } from "./interruption.js";
import { ReadableError, reportFailure } from "./readable-error.js";

async function main(args: readonly string[]): Promise<void> {
  const json = args.includes("--json");
  const unknown = args.find((arg) => arg !== "--json");
  if (unknown !== undefined) {
    throw new ReadableError(`${unknown} is not an option of the demonstration.\nThere is one: --json`);
  }
  const settings = readSettings(process.env);
  const system = createDevelopmentSystem(settings);
  const authz = createAuthzCommand(settings);
  onInterruption(
    () => {
      process.exitCode = 130;
      process.stderr.write("\n  Stopping. Ctrl-C again ends everything at once.\n");
      void system.stop().then(() => process.exit());
    },
    () => {
      system.kill();
      process.exit(130);
    },
  );
  try {
    await ensureRunning(settings, system);
    const narrator = json ? silentNarrator : createNarrator(process.stdout, process.env);
    const result = await Promise.race([tellStory(settings, authz, narrator), system.broken]);
    if (json) {
      process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
    }
    const problems = findProblems(result);
    if (problems.length > 0) {
      throw new ReadableError(["Not everything is as it must be:", ...problems].join("\n"));
    }
    narrator.line("");
    narrator.line("Everything is as it must be.");
  } finally {
    authz.remove();
    await system.stop();
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof StoppedError)) {
    reportFailure(error);
  }
});
