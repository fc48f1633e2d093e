import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** The package registry did not answer: there is nothing to test with, which is no failure of ours. */
export class RegistryAwayError extends Error {
  override readonly name = "RegistryAwayError";
}

/** What npm says when it reaches no registry. A missing or broken package is another failure. */
const away =
  /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|E50[234])\b/;

/**
 * Installs packages, each as `name@version`, into a folder of their own.
 *
 * @throws {RegistryAwayError} The registry cannot be reached.
 * @throws {Error} npm failed otherwise; the message is what it said.
 */
export async function installPackages(folder: string, packages: readonly string[]): Promise<void> {
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const quick = ["--no-save", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"];
  const child = spawn("npm", ["install", ...quick, "--fetch-timeout=30000", ...packages], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [code, said] = await Promise.all([
    new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    }),
    text(child.stderr),
  ]);
  if (code === 0) return;
  if (away.test(said)) throw new RegistryAwayError("The package registry cannot be reached.");
  throw new Error(`npm could not install ${packages.join(", ")}.\n${said}`);
}
