import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

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
