/** `npm run tokens`: how many characters an agent reads and writes to find, read, call, be denied and ask why, on the development system. */
import { createAuthzCommand } from "./demo/authz-command.js";
import { ensureRunning } from "./development/ensure-running.js";
import { readSettings } from "./development/settings.js";
import { createDevelopmentSystem, StoppedError } from "./development/system.js";
import { stopOnInterruption } from "./interruption.js";
import { ReadableError, reportFailure } from "./readable-error.js";
import { logInAsAda } from "./tokens/log-in.js";
import { charactersOf, type Part, tellByCommand, tellByEndpoint, tellByMcp } from "./tokens/story.js";
import { waitForCatalogs } from "./tokens/wait-for-catalogs.js";

/** One page: what finding out, doing, and being told why not may cost an agent. */
const mostCharacters = 4000;

async function main(args: readonly string[]): Promise<void> {
  const settings = readSettings(process.env);
  const system = createDevelopmentSystem(settings);
  const authz = createAuthzCommand(settings);
  stopOnInterruption(system);
  try {
    await ensureRunning(settings, system);
    await logInAsAda(settings, authz);
    await waitForCatalogs(authz);
    const stories = {
      "authz --agent": await tellByCommand(settings, authz),
      "authz mcp": await tellByMcp(settings, authz),
      "the address for agents": await tellByEndpoint(settings),
    };
    for (const [name, parts] of Object.entries(stories)) {
      printTable(name, parts);
      if (args.includes("--text")) for (const { text } of parts) process.stdout.write(`${text}\n\n`);
    }
    const tooLong = Object.entries(stories).filter(([, parts]) => charactersOf(parts) >= mostCharacters);
    if (tooLong.length > 0) {
      throw new ReadableError(
        `Longer than a page of ${mostCharacters} characters: ${tooLong.map(([name]) => name).join(", ")}.`,
      );
    }
  } finally {
    authz.remove();
    await system.stop();
  }
}

function printTable(name: string, parts: readonly Part[]): void {
  const rows = [
    ...parts.map(({ step, text }): [string, number] => [step, text.length]),
    ["whole story", charactersOf(parts)] as const,
  ];
  const width = Math.max(...rows.map(([step]) => step.length));
  process.stdout.write(`\n  ${name}, in characters\n`);
  for (const [step, count] of rows)
    process.stdout.write(`  ${step.padEnd(width)}  ${String(count).padStart(6)}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof StoppedError)) {
    reportFailure(error);
  }
});
