/** `npm run demo`: the main job from end to end, without a human. `-- --json` prints one JSON object and nothing else. */
import { createAuthzCommand } from "./demo/authz-command.js";
import { createNarrator, type Narrator, silentNarrator } from "./demo/narrators.js";
import { findProblems } from "./demo/result.js";
import { playStory } from "./demo/story.js";
import { ensureRunning } from "./development/ensure-running.js";
import { originOf, readSettings, type Settings } from "./development/settings.js";
import { createDevelopmentSystem, StoppedError } from "./development/system.js";
import { stopOnInterruption } from "./interruption.js";
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
  stopOnInterruption({
    stop: async () => {
      process.stderr.write("\n  Stopping. Ctrl-C again ends everything at once.\n");
      await system.stop();
    },
    kill: () => system.kill(),
  });
  try {
    await ensureRunning(settings, system);
    const narrator = json ? silentNarrator : createNarrator(process.stdout, process.env);
    const result = await Promise.race([playStory(settings, authz, narrator), system.broken]);
    if (json) {
      process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
    }
    const problems = findProblems(result);
    if (problems.length > 0) {
      throw new ReadableError(
        [
          "Not everything went as expected:",
          ...problems,
          "",
          "If somebody changed people, services or permissions here, that may be why. Start over with fresh data:",
          startOver(settings),
        ].join("\n"),
      );
    }
    narrator.line("");
    if (result.mcp.may_write || result.agents.may_write) tellWhyNothingWasDenied(settings, narrator);
    narrator.line("Everything went as expected.");
  } finally {
    authz.remove();
    await system.stop();
  }
}

/** The failure when Ada already has the permission whose lack the story is about. */
function tellWhyNothingWasDenied(settings: Settings, narrator: Narrator): void {
  narrator.line(
    "Ada may create contracts, because somebody gave her contracts:write. So that was not denied.",
  );
  narrator.line("To see the denial, take the permission from her:");
  narrator.line(`  ${originOf(settings, "server")}/admin/assignments`);
  narrator.line("");
}

function startOver({ stateDirectory }: Settings): string {
  return `  Ctrl-C where npm start runs, then: rm -rf ${stateDirectory} && npm start`;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof StoppedError)) {
    reportFailure(error);
  }
});
