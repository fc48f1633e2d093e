import { setTimeout as delay } from "node:timers/promises";
import { findRunning } from "../parts.js";
import { createProgress } from "../../progress.mjs";
import { ReadableError } from "../readable-error.js";
import { originOf, type Settings } from "./settings.js";
import type { DevelopmentSystem } from "./system.js";

const otherStartSeconds = 120;

/**
 * Uses the system that runs from this folder, or starts one that ends with us.
 *
 * @throws {ReadableError} It runs at another address, does not become ready, or cannot start.
 */
export async function ensureRunning(settings: Settings, system: DevelopmentSystem): Promise<void> {
  const running = findRunning(settings.stateDirectory);
  if (running === undefined) {
    await system.start(createProgress());
    return;
  }
  const issuer = originOf(settings, "server");
  if (running.issuer !== issuer) {
    throw new ReadableError(
      `The system that runs from this folder (process ${running.pid}) is at ${running.issuer}, not at ${issuer}.\nUse the same AUTHZ_DEV_PORT_OFFSET for both.`,
    );
  }
  for (let waited = 0; findRunning(settings.stateDirectory)?.ready !== true; waited += 1) {
    if (waited >= otherStartSeconds || findRunning(settings.stateDirectory) === undefined) {
      throw new ReadableError(
        `The system that another terminal was starting (process ${running.pid}) is not ready.\nLook there, then try again.`,
      );
    }
    await delay(1000);
  }
}
