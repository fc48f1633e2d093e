import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

/** Builds the console unless it is built already from the same sources. */
export async function buildConsole(): Promise<void> {
  const server = dirname(createRequire(import.meta.url).resolve("authz-server/package.json"));
  await promisify(execFile)(process.execPath, ["build.mjs"], { cwd: join(server, "web") });
}
