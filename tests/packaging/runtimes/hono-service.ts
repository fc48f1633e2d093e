import { argv, exit, stdin } from "node:process";
import { Hono } from "hono";
import { createContractApp } from "../../../packages/hono/test/contract-app.js";
import { connectContract } from "./remote-contract.js";

/** The part of a runtime that listens. */
interface Runtime {
  readonly Bun?: { serve(options: object): { readonly port: number } };
  readonly Deno?: { serve(options: object, handler: (request: Request) => Promise<Response>): unknown };
}

const { contract, reported } = connectContract(argv[2] ?? "");
const app = createContractApp(Hono, contract);

/** The tests know of an entered handler before they have its answer. */
async function handle(request: Request): Promise<Response> {
  const response = await app.fetch(request);
  await reported();
  return response;
}

const { Bun, Deno } = globalThis as Runtime;
const listener = { hostname: "127.0.0.1", port: 0 };
if (Bun !== undefined) console.log(Bun.serve({ ...listener, fetch: handle }).port);
else Deno?.serve({ ...listener, onListen: ({ port }: { port: number }) => console.log(port) }, handle);
stdin.resume().once("end", () => exit());
