import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
  /** The folder as it was typed. */
  readonly folder: string;
  /** Forgets everything of earlier starts. */
  readonly fresh: boolean;
}

/** Runs the system until somebody ends it. The exit code says how that went. */
export async function startSystem(options: StartOptions): Promise<void> {
  const { settings, folder } = options;
  try {
    refuseWindows();
    if (options.fresh) forgetData(settings.stateDirectory, folder);
    prepareFolder(settings.stateDirectory);
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

/** Git does not see the data, whatever the project around it ignores. */
function prepareFolder(stateDirectory: string): void {
  mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
  const ignore = join(stateDirectory, ".gitignore");
  if (!existsSync(ignore)) writeFileSync(ignore, "*\n");
}

/** @throws {ReadableError} The system runs, or the folder holds something else. */
function forgetData(stateDirectory: string, folder: string): void {
  if (!existsSync(stateDirectory)) return;
  const running = findRunning(stateDirectory);
  if (running !== undefined) {
    throw new ReadableError(
      `The system is still running from ${folder} (process ${running.pid}).\nStop it first: kill ${running.pid}`,
    );
  }
  const isOurs = existsSync(join(stateDirectory, "secrets.json")) || isEmpty(stateDirectory);
  if (!isOurs) {
    throw new ReadableError(
      `${folder} is not the data of a development system, so --fresh leaves it alone.\nName another one with --folder.`,
    );
  }
  rmSync(stateDirectory, { recursive: true });
}

function isEmpty(folder: string): boolean {
  return readdirSync(folder).every((name) => name === ".gitignore");
}
