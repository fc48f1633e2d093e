import type { Server } from "node:http";
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import type Koa from "koa";

/** Listens on a free loopback port. */
export async function listen(app: {
  listen(port: number, host: string, callback: () => void): Server;
}): Promise<{ port: number; origin: string; close: () => Promise<void> }> {
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, "127.0.0.1", () => resolve(listening));
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** Listens on a free loopback port for HTTP/2 without TLS. */
export async function listenHttp2(app: Koa): Promise<{ port: number; close: () => Promise<void> }> {
  const handle = app.callback();
  // Koa takes both kinds of requests; its types know one.
  const server = createServer((req, res) => void handle(req as never, res as never));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
