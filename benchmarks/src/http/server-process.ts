/**
 * A process of its own for each server, so that its CPU time can be told from the load generator's.
 * Started with the name of a variant; talks to its parent over IPC.
 */
import type { AddressInfo } from "node:net";
import type { ClientCredential } from "./variants.js";
import { variants } from "./variants.js";

/** What the process says once it serves. */
export interface Serving {
  readonly port: number;
  readonly publicOrigin: string;
  readonly credentials: readonly ClientCredential[];
}

/** What it says whenever it gets a message. */
export interface Usage {
  readonly cpuMicroseconds: number;
  readonly rssBytes: number;
}

const start = variants[process.argv[2] ?? ""];
if (start === undefined) throw new Error(`There is no variant "${process.argv[2]}".`);
const { server, publicOrigin, credentials } = await start();
server.keepAliveTimeout = 60_000;

process.on("message", () => {
  const { user, system } = process.cpuUsage();
  const usage: Usage = { cpuMicroseconds: user + system, rssBytes: process.memoryUsage.rss() };
  process.send?.(usage);
});
process.on("disconnect", () => process.exit());

const serving: Serving = { port: (server.address() as AddressInfo).port, publicOrigin, credentials };
process.send?.(serving);
