import { rmSync } from "node:fs";
import { createProgress } from "../../progress.mjs";
import { onInterruption } from "../interruption.js";
import { ReadableError, reportFailure } from "../readable-error.js";
import { summaryText } from "../summary.js";
import { companyWithoutServices, withCompany } from "../system/registry.js";
import { findRunning } from "../system/running-record.js";
import type { SystemSettings } from "../system/settings.js";
import { createDevelopmentSystem, type DevelopmentSystem, StoppedError } from "../system/system.js";

export interface StartOptions {
  readonly settings: SystemSettings;
  /** The project as it was typed. */
  readonly folder: string;
  /** Forgets everything of earlier starts. */
  readonly fresh: boolean;
}

/** Runs the system until it is interrupted. Returns the exit code. */
export async function startSystem(options: StartOptions): Promise<void> {
  const { settings, folder } = options;
  try {
    refuseWindows();
    if (options.fresh) forgetData(settings.stateDirectory);
    const system = createDevelopmentSystem({
      settings,
      plan: (secrets) => ({
        companions: [],
        services: [],
        registry: withCompany(settings, secrets, companyWithoutServices),
      }),
      portRemedy: `Or choose others: npx @authz/dev --port ${settings.ports.server + 1} --idp-port ${settings.ports.idp + 1} --postgres-port ${settings.ports.postgres + 1}`,
    });
    await runUntilInterrupted(system, () => summaryText(settings, folder));
  } catch (error) {
    if (error instanceof StoppedError) process.stderr.write("  Stopped.\n");
    else reportFailure(error);
  }
}

async function runUntilInterrupted(system: DevelopmentSystem, summary: () => string): Promise<void> {
  const interrupted = new Promise<void>((resolve) => {
    onInterruption(
      () => {
        process.stderr.write("\n  Stopping. Ctrl-C again ends everything at once.\n");
        resolve();
        void system.stop();
      },
      () => {
        system.kill();
        process.exit(130);
      },
    );
  });
  await system.start(createProgress());
  process.stdout.write(summary());
  try {
    await Promise.race([interrupted, system.broken]);
  } finally {
    await system.stop();
  }
  process.stderr.write("  Stopped.\n");
}

function refuseWindows(): void {
  if (process.platform === "win32") {
    throw new ReadableError(
      "Windows is not supported directly.\nRun this inside WSL: https://learn.microsoft.com/windows/wsl/",
    );
  }
}

/** @throws {ReadableError} The system runs. */
function forgetData(stateDirectory: string): void {
  const running = findRunning(stateDirectory);
  if (running !== undefined) {
    throw new ReadableError(
      `The system is still running (process ${running.pid}).\nStop it first: kill ${running.pid}`,
    );
  }
  rmSync(stateDirectory, { recursive: true, force: true });
}
