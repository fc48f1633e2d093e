/** `npm run tokens`: how many characters an agent reads and writes to find, read, call, be denied and ask why, on the development system. */
import { type AuthzCommand, createAuthzCommand } from "./demo/authz-command.js";
import { ensureRunning } from "./development/ensure-running.js";
import { originOf, readSettings, type Settings } from "./development/settings.js";
import { createDevelopmentSystem, StoppedError } from "./development/system.js";
import { stopOnInterruption } from "./interruption.js";
import { ReadableError, reportFailure } from "./readable-error.js";
import { charactersOf, type Part, tellByCommand, tellByEndpoint, tellByMcp } from "./tokens/story.js";
import { signIn } from "./demo/sign-in.js";
import { Browser } from "./scriptless/browser.js";
import { setTimeout as delay } from "node:timers/promises";

/** One page: what finding out, calling and reading a denial may cost an agent. */
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

/** Signs the command in as Ada. @throws {ReadableError} What went wrong in the browser, or the command. */
async function logInAsAda(settings: Settings, authz: AuthzCommand): Promise<void> {
  const issuer = originOf(settings, "server");
  const browserFailed = new AbortController();
  let visit: Promise<unknown> | undefined;
  const login = authz.run(["login", "--issuer", issuer, "--no-browser"], {
    signal: browserFailed.signal,
    onLine(line) {
      const address = line.trim();
      if (visit !== undefined || !address.startsWith(`${issuer}/`) || !URL.canParse(address)) return;
      visit = signIn(new Browser(), new URL(address), { person: "ada" });
      visit.catch(() => browserFailed.abort());
    },
  });
  const [seen, signedIn] = await Promise.allSettled([login.then(() => visit), login]);
  await visit;
  if (seen.status === "rejected") throw seen.reason;
  if (signedIn.status === "rejected") throw signedIn.reason;
}

/** A catalog whose service was not there yet is asked for again after half of this time. */
const mostSeconds = 60;

/**
 * Waits until all skills are fresh: after a long pause the first list says how old they are, which is not what is measured.
 *
 * @throws {ReadableError} They do not become so.
 */
async function waitForCatalogs(authz: AuthzCommand): Promise<void> {
  const ends = Date.now() + mostSeconds * 1000;
  while (!areFresh(await authz.run(["skills"]))) {
    if (Date.now() > ends) throw new ReadableError("The skills of the services do not become fresh.");
    await delay(2000);
  }
}

function areFresh(list: unknown): boolean {
  return (
    typeof list === "object" &&
    list !== null &&
    "incomplete" in list &&
    Array.isArray(list.incomplete) &&
    list.incomplete.length === 0
  );
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof StoppedError)) {
    reportFailure(error);
  }
});
