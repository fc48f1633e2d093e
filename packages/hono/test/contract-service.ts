import type { ContractApp, RunningApp } from "@authz/contract-tests";
import type { Hono } from "hono";
import { createContractApp } from "./contract-app.js";
import { type FetchApp, listen } from "./listen.js";

/** The application of the contract tests, on whichever Hono is passed in and on Node. */
export function startHono(
  Framework: typeof Hono,
  contract: ContractApp,
  listenWith: (app: FetchApp) => Promise<RunningApp> = listen,
): Promise<RunningApp> {
  return listenWith(createContractApp(Framework, contract));
}
