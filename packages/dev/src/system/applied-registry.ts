import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SystemSettings } from "./settings.js";

/**
 * Applies a registry unless it is the one that was applied last: changes that were made in the console since then stay.
 *
 * @param apply - writes it into the database
 */
export async function applyRegistryOnce(
  { stateDirectory }: Pick<SystemSettings, "stateDirectory">,
  registry: string,
  apply: () => Promise<void>,
): Promise<void> {
  // Beside the database that it describes, so that both are removed together.
  const file = join(stateDirectory, "registry.applied");
  const digest = createHash("sha256").update(registry).digest("hex");
  if (readText(file) === digest) return;
  rmSync(file, { force: true });
  await apply();
  writeFileSync(file, digest, { mode: 0o600 });
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
