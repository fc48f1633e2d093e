/** What every file of the application under test is made of: bundled for it, and loaded by its routes and its proxy. */
import { env, exit, stdin } from "node:process";
import type { NextAuthzOptions } from "@authz/next";
import {
  createContractApp,
  type NextApp,
  type RouteModule,
} from "../../../packages/next/test/contract-app.js";
import { connectContract } from "../runtimes/remote-contract.js";

const { contract, reported } = connectContract(env["AUTHZ_CONTRACT"] ?? "");
const options: NextAuthzOptions = { ...contract.options, basePath: env["AUTHZ_BASE_PATH"] ?? "" };
const app = createContractApp({ ...contract, options });

export const proxy: NextApp["proxy"] = app.proxy;

/** The tests know of an entered handler before they have its answer. */
export function handlersOf(folder: string): RouteModule {
  const reporting = Object.entries(app.routes[folder] ?? {}).map(([method, handler]) => [
    method,
    async (...request: Parameters<NonNullable<typeof handler>>) => {
      try {
        return await handler?.(...request);
      } finally {
        await reported();
      }
    },
  ]);
  return Object.fromEntries(reporting) as RouteModule;
}

/** The process ends when its input does: also when the tests are stopped. */
export function endWithInput(): void {
  stdin.resume().once("end", () => exit());
}
