import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { RunningApp, StartAdapter } from "@authz/contract-tests";
import { build } from "esbuild";
import { type PackedPackage, root, run } from "../pack.js";
import { startBridge } from "./bridge.js";
import { writeDescription } from "./service-description.js";

/** A JavaScript runtime from npm, and how it runs a file. */
export interface Runtime {
  readonly title: string;
  readonly command: string;
  readonly version: string;
  readonly parameters: readonly string[];
}

export const runtimes: readonly Runtime[] = [
  { title: "Bun", command: "bun", version: "1.4.5", parameters: ["run"] },
  { title: "Deno", command: "deno", version: "2.9.6", parameters: ["run", "--allow-net"] },
];

/**
 * Installs the runtimes and Hono from the registry.
 *
 * @returns Why one of them is not there, or does not start on this machine.
 */
export async function installRuntimes(directory: string): Promise<ReadonlyMap<Runtime, string>> {
  const hono = await readFile(join(root, "node_modules/hono/package.json"), "utf8");
  const { version } = JSON.parse(hono) as { version: string };
  await writeFile(join(directory, "package.json"), '{ "private": true, "type": "module" }');
  const packages = runtimes.map((runtime) => `${runtime.command}@${runtime.version}`);
  const missing = new Map<Runtime, string>();
  try {
    await npmInstall(directory, [`hono@${version}`, ...packages]);
  } catch (error) {
    for (const runtime of runtimes) missing.set(runtime, `npm could not install it. ${String(error)}`);
    return missing;
  }
  for (const runtime of runtimes) {
    await versionOf(runtime, directory).catch((error: unknown) =>
      missing.set(runtime, `It does not start on this machine. ${String(error)}`),
    );
  }
  return missing;
}

/** What an installed runtime says about itself. */
export function versionOf(runtime: Runtime, directory: string): Promise<string> {
  return run(commandOf(directory, runtime), ["--version"], directory);
}

/** Installs the packed packages beside the runtimes, and the program that builds the application of the contract. */
export async function installService(directory: string, packages: readonly PackedPackage[]): Promise<void> {
  await npmInstall(
    directory,
    packages.map(({ tarball }) => tarball),
  );
  await build({
    entryPoints: [join(import.meta.dirname, "hono-service.ts")],
    outfile: join(directory, "service.js"),
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
  });
}

/** Starts the application in a process of its own, which ends when its input does: also when the tests are stopped. */
export function startOn(runtime: Runtime, directory: () => string): StartAdapter {
  return async (contract) => {
    const { url, server } = await startBridge(contract);
    const service = await writeDescription(contract, url);
    const child = spawn(commandOf(directory(), runtime), [...runtime.parameters, "service.js", service], {
      cwd: directory(),
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(child, "exit");
    const running: Omit<RunningApp, "port"> = {
      async close() {
        child.stdin.end();
        await ended;
        server.closeAllConnections();
        await new Promise((resolve) => void server.close(resolve));
      },
    };
    for await (const line of createInterface({ input: child.stdout })) {
      return { ...running, port: Number(line) };
    }
    await running.close();
    throw new Error(`${runtime.title} ended before it listened.`);
  };
}

function commandOf(directory: string, { command }: Runtime): string {
  return join(directory, "node_modules/.bin", command);
}

async function npmInstall(directory: string, packages: readonly string[]): Promise<void> {
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", ["install", ...quiet, ...packages], directory);
}
