import type { Server } from "node:http";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";

/** Other tests of this process go on with its own `Request` and `Response`. */
const kept = { overrideGlobalObjects: false };

/** What a Hono application of any version offers to a server. */
export interface FetchApp {
  fetch(request: Request): Response | Promise<Response>;
}

/** Listens on a free loopback port. */
export async function listen(
  app: FetchApp,
): Promise<{ port: number; origin: string; close: () => Promise<void> }> {
  return start(createAdaptorServer({ ...kept, fetch: (request) => app.fetch(request) }) as Server);
}

/** Listens on a free loopback port for HTTP/2 without TLS. */
export async function listenHttp2(
  app: FetchApp,
): Promise<{ port: number; origin: string; close: () => Promise<void> }> {
  return start(
    createAdaptorServer({ ...kept, fetch: (request) => app.fetch(request), createServer }) as Server,
  );
}

async function start(server: Server): Promise<{ port: number; origin: string; close: () => Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
