import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Settings } from "./settings.js";

const TIMEOUT_SECONDS = 5;

/** Asks as `authz login` will: another way of asking may find another store, one that the command does not use. */
const PROBE = `
const [module] = process.argv.slice(1);
const { keyringProblem } = await import(module);
process.exit((await keyringProblem()) === undefined ? 0 : 1);
`;

/**
 * Whether this computer has a keyring that the command-line client can use.
 *
 * Asked in a process of its own: without a desktop session some keyrings wait for ever.
 */
export function keyringWorks(settings: Settings): Promise<boolean> {
  const module = pathToFileURL(join(settings.root, "packages/cli/dist/profile/system-keyring.js")).href;
  return new Promise((resolve) => {
    const args = ["--input-type=module", "--eval", PROBE, module];
    execFile(process.execPath, args, { timeout: TIMEOUT_SECONDS * 1000 }, (error) => resolve(error === null));
  });
}
