import { createServer as createHttp2Server } from "node:http2";
import { type ContractApp, listen, type RunningApp } from "@authz/contract-tests";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { createContractApp } from "./contract-app.js";

/** The application of the contract tests, on whichever Hono is passed in and on Node. */
export async function startHono(
  Framework: typeof Hono,
  contract: ContractApp,
  { http2 = false } = {},
): Promise<RunningApp> {
  const app = createContractApp(Framework, contract);
  const server = createAdaptorServer({
    fetch: (request) => app.fetch(request),
    // Other tests of this process go on with its own `Request` and `Response`.
    overrideGlobalObjects: false,
    ...(http2 && { createServer: createHttp2Server }),
  });
  return await listen(server);
}
