/** `npm run test:conformance`: the conformance suite of the protocol, against the authorization server of the development system. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProgress } from "../progress.mjs";
import { connectAgent } from "./agent-host/agent.js";
import { type AgentHost, startAgentHost } from "./agent-host/host.js";
import { startRelay } from "./conformance/relay.js";
import { notApplicable, serverScenarios } from "./conformance/server-scenarios.js";
import { type Check, installSuite, type Suite, suiteVersion } from "./conformance/suite.js";
import { Browser } from "./scriptless/browser.js";
import { signIn } from "./demo/sign-in.js";
import { ensureRunning } from "./development/ensure-running.js";
import { originOf, readSettings, type Settings } from "./development/settings.js";
import { createDevelopmentSystem, StoppedError } from "./development/system.js";
import { stopOnInterruption } from "./interruption.js";
import { findFreePort } from "./network/ports.js";
import { RegistryAwayError } from "./packages/install-packages.js";
import { ReadableError, reportFailure } from "./readable-error.js";

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const system = createDevelopmentSystem(settings);
  const folder = mkdtempSync(join(tmpdir(), "authz-conformance-"));
  stopOnInterruption(system);
  try {
    const step = createProgress().step(`Conformance suite ${suiteVersion}`);
    const suite = await installSuite(folder).catch((error: unknown) => {
      step.fail();
      throw error;
    });
    step.done();
    await ensureRunning(settings, system);
    report(await Promise.race([check(settings, suite), system.broken]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await system.stop();
  }
}

/** Ada allows it what it asks for; its client is a metadata document, like those of agent hosts. */
async function check(settings: Settings, suite: Suite): Promise<readonly Check[]> {
  const open = (address: URL) => signIn(new Browser(), address, { person: "ada" });
  const host = await startAgentHost({ name: "Conformance suite", open });
  try {
    const target = {
      issuer: originOf(settings, "server"),
      clientId: host.clientId,
      resource: `${originOf(settings, "mcp")}/mcp`,
      port: await findFreePort(),
    };
    const checks = await suite.run(target, open);
    return [...checks, ...(await checkAgents(settings, { host, suite }))];
  } finally {
    await host.close();
  }
}

/** The address for agents, with the token that a host gets there. */
async function checkAgents(
  settings: Settings,
  { host, suite }: { readonly host: AgentHost; readonly suite: Suite },
): Promise<readonly Check[]> {
  const url = new URL("/mcp", originOf(settings, "server"));
  const agent = await connectAgent(host, url);
  const relay = await startRelay(url, () => host.provider.tokens()?.access_token ?? "");
  try {
    return await suite.runServer(relay.url, serverScenarios);
  } finally {
    await agent.close();
    await relay.close();
  }
}

/** @throws {ReadableError} Something is not as the suite wants it, or it looked at nothing. */
function report(checks: readonly Check[]): void {
  const about = checks.filter(({ id, status }) => status !== "INFO" && !isLeftOut({ id, status }));
  const looked = about.filter(({ status }) => status !== "SKIPPED");
  process.stdout.write("\n");
  for (const { id, description, status, errorMessage } of looked) {
    const why = errorMessage === undefined ? "" : `\n      ${errorMessage}`;
    process.stdout.write(`  ${status === "SUCCESS" ? "✓" : "✗"} ${id}: ${description}${why}\n`);
  }
  for (const { id, errorMessage = "the suite skips it" } of about.filter(
    ({ status }) => status === "SKIPPED",
  ))
    process.stdout.write(`  – ${id}: ${errorMessage}\n`);
  for (const { id } of checks.filter(isLeftOut))
    process.stdout.write(`  – ${id}: does not apply, ${notApplicable[id] ?? ""}\n`);
  process.stdout.write("\n");
  const passed = looked.filter(({ status }) => status === "SUCCESS").length;
  if (looked.length === 0 || passed < looked.length) {
    throw new ReadableError(`${passed} of ${looked.length} checks of the conformance suite passed.`);
  }
  process.stdout.write(`  ${passed} checks of the conformance suite passed.\n`);
}

/** Whether a check failed for want of something that the server does not have. */
function isLeftOut({ id, status }: Pick<Check, "id" | "status">): boolean {
  return status === "FAILURE" && notApplicable[id] !== undefined;
}

main().catch((error: unknown) => {
  if (error instanceof RegistryAwayError) {
    process.stdout.write(
      "\n  Skipped: the conformance suite comes from the package registry, which cannot be reached.\n\n",
    );
  } else if (!(error instanceof StoppedError)) {
    reportFailure(error);
  }
});
