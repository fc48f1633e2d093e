import { argv, exit, stdin } from "node:process";
import { Hono } from "hono";
import { createContractApp } from "../../../packages/hono/test/contract-app.js";
import type { ServiceDescription } from "./service-description.js";

/** The part of a runtime that listens. */
interface Runtime {
  readonly Bun?: { serve(options: object): { readonly port: number } };
  readonly Deno?: { serve(options: object, handler: (request: Request) => Promise<Response>): unknown };
}

const { bridge, issuer, options, bodyParsers, guardEverything } = JSON.parse(
  argv[2] ?? "",
) as ServiceDescription;

/** Asks the process of the tests. */
async function ask(path: string, question: unknown): Promise<Response> {
  const answer = await fetch(`${bridge}${path}`, { method: "POST", body: JSON.stringify(question) });
  if (!answer.ok) throw new TypeError(`The tests answered ${answer.status} to ${path}.`);
  return answer;
}

let reports: Promise<unknown>[] = [];
const app = createContractApp(Hono, {
  issuer,
  options: {
    ...options,
    fetch: (input) => ask("/fetch", String(input instanceof Request ? input.url : input)),
    replayStore: { consume: async (record) => (await (await ask("/consume", record)).json()) as boolean },
  },
  bodyParsers,
  guardEverything,
  entered: (path) => void reports.push(ask("/entered", path)),
});

/** The tests know of an entered handler before they have its answer. */
async function handle(request: Request): Promise<Response> {
  const response = await app.fetch(request);
  await Promise.all(reports);
  reports = [];
  return response;
}

const { Bun, Deno } = globalThis as Runtime;
const listener = { hostname: "127.0.0.1", port: 0 };
if (Bun !== undefined) console.log(Bun.serve({ ...listener, fetch: handle }).port);
else Deno?.serve({ ...listener, onListen: ({ port }: { port: number }) => console.log(port) }, handle);
stdin.resume().once("end", () => exit());
