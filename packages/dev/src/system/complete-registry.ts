import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Registry } from "./registry.js";
import { readServices, type RegisteredService, withServices } from "./service-list.js";

/** Keeps what the system itself registers, for commands that add services while it runs. */
export function writeBaseRegistry(stateDirectory: string, base: Registry): void {
  writeFileSync(baseFile(stateDirectory), JSON.stringify(base), { mode: 0o600 });
}

/** What the system itself has, without the services that were registered in it. */
export function readBaseRegistry(stateDirectory: string): Registry {
  return JSON.parse(readFileSync(baseFile(stateDirectory), "utf8")) as Registry;
}

/**
 * Everything that `authz-server apply` gets: what the system itself has, and these services.
 *
 * @param services - default: those that were registered in this system
 * @throws {ReadableError} The list of services is broken.
 */
export function completeRegistry(
  stateDirectory: string,
  services: readonly RegisteredService[] = readServices(stateDirectory),
): string {
  return `${JSON.stringify(withServices(readBaseRegistry(stateDirectory), services), undefined, 2)}\n`;
}

function baseFile(stateDirectory: string): string {
  return join(stateDirectory, "registry.base.json");
}
