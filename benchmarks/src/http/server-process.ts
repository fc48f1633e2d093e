/** A process of its own for each server, apart from the CPU time of the load generator. Started with the name of a variant. */
import type { AddressInfo } from "node:net";
import { answerQuestions, measureUsage, type Usage } from "../child-process.js";
import { collectYoungGeneration } from "../request/measure.js";
import { type Target, variants } from "./variants.js";

export type Serving = Omit<Target, "server"> & { readonly port: number };

/** Where it serves, and what it has used when a turn begins and ends. */
export interface ServerQuestion {
  readonly kind: "serving" | "begin" | "end";
}

const start = variants[process.argv[2] ?? ""];
if (start === undefined) throw new Error(`There is no variant "${process.argv[2]}".`);
const { server, ...target } = await start();
// The other frameworks may take minutes between two turns.
server.keepAliveTimeout = 0;

answerQuestions(({ kind }: ServerQuestion): Serving | Usage => {
  if (kind === "serving") return { ...target, port: (server.address() as AddressInfo).port };
  // Every turn pays for its own garbage, and none for that of another. What survives twice is moved to the old generation.
  collectYoungGeneration();
  if (kind === "begin") collectYoungGeneration();
  return measureUsage();
});
