/**
 * A process of its own for each server, so that its CPU time can be told from the load generator's.
 * Started with the name of a variant; talks to its parent over IPC.
 */
import type { AddressInfo } from "node:net";
import { collectYoungGeneration } from "../measure.js";
import { type ClientCredential, variants } from "./variants.js";

/** What the process says once it serves. */
export interface Serving {
  readonly port: number;
  readonly publicOrigin: string;
  readonly credentials: readonly ClientCredential[];
}

/** What it is asked around what is measured. */
export type Question = "begin" | "end";

/** What it says to that. */
export interface Usage {
  readonly cpuMicroseconds: number;
  readonly rssBytes: number;
}

const start = variants[process.argv[2] ?? ""];
if (start === undefined) throw new Error(`There is no variant "${process.argv[2]}".`);
const { server, publicOrigin, credentials } = await start();
server.keepAliveTimeout = 60_000;

process.on("message", (question: Question) => {
  // Every turn pays for its own garbage, and none for that of another. What survives twice is moved to the old generation.
  collectYoungGeneration();
  if (question === "begin") collectYoungGeneration();
  const { user, system } = process.cpuUsage();
  const usage: Usage = { cpuMicroseconds: user + system, rssBytes: process.memoryUsage.rss() };
  process.send?.(usage);
});
process.on("disconnect", () => process.exit());

const serving: Serving = { port: (server.address() as AddressInfo).port, publicOrigin, credentials };
process.send?.(serving);
