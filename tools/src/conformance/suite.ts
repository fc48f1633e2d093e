import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { installPackages } from "../packages/install-packages.js";

/** The newest version that knows authorization servers, and the Node.js that it needs. */
export const suiteVersion = "0.2.0-alpha.12";
const nodeVersion = 22;

/** One thing that the suite looked at. */
export interface Check {
  readonly id: string;
  readonly description: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

/** What the suite gets to know about a server. */
interface Target {
  readonly issuer: string;
  readonly clientId: string;
  readonly resource: string;
  /** Where the suite listens for the answer, on 127.0.0.1. */
  readonly port: number;
}

/** The installed suite. */
export interface Suite {
  /**
   * Runs every scenario about authorization servers.
   *
   * @param open - goes through the pages at the address that the suite prints for a browser
   */
  run(target: Target, open: (address: URL) => Promise<unknown>): Promise<readonly Check[]>;
  /** Runs scenarios about servers, one after the other, against the server at this address. */
  runServer(url: string, scenarios: readonly string[]): Promise<readonly Check[]>;
}

/**
 * Installs the suite into an empty folder.
 *
 * @throws {RegistryAwayError} The registry cannot be reached.
 */
export async function installSuite(folder: string): Promise<Suite> {
  const isOld = Number.parseInt(process.versions.node, 10) < nodeVersion;
  const packages = [`@modelcontextprotocol/conformance@${suiteVersion}`];
  await installPackages(folder, isOld ? [...packages, `node@${nodeVersion}`] : packages);
  const node = isOld ? join(folder, "node_modules", "node", "bin", "node") : process.execPath;
  const program = join(folder, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js");
  return {
    async run({ issuer, clientId, resource, port }, open) {
      const results = join(folder, "results");
      mkdirSync(results);
      const target = ["--url", issuer, "--client-id", clientId, "--resource", resource];
      const args = [program, "authorization", ...target, "--port", String(port), "--output-dir", results];
      const child = spawn(node, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
      await follow(child, issuer, open);
      return readChecks(results);
    },
    async runServer(url, scenarios) {
      const results = join(folder, "server-results");
      mkdirSync(results);
      for (const scenario of scenarios) {
        const args = [program, "server", "--url", url, "--scenario", scenario, "--output-dir", results];
        const child = spawn(node, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
        await once(child, "close");
      }
      const ran = readdirSync(results).length;
      if (ran < scenarios.length) throw new Error(`${ran} of ${scenarios.length} scenarios left results.`);
      return readChecks(results);
    },
  };
}

/** Opens the address that the suite prints, and waits for its end. */
async function follow(
  child: ChildProcessByStdio<null, Readable, null>,
  issuer: string,
  open: (address: URL) => Promise<unknown>,
): Promise<void> {
  const ended = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  let visit: Promise<unknown> | undefined;
  createInterface(child.stdout).on("line", (line) => {
    const address = line.trim();
    if (visit !== undefined || !address.startsWith(`${issuer}/`) || !URL.canParse(address)) return;
    visit = open(new URL(address));
    // Without an answer the suite would wait for five minutes.
    visit.catch(() => child.kill());
  });
  await ended;
  await visit;
}

/** The suite writes a folder for each scenario. */
function readChecks(results: string): readonly Check[] {
  return readdirSync(results).flatMap(
    (name) => JSON.parse(readFileSync(join(results, name, "checks.json"), "utf8")) as readonly Check[],
  );
}
