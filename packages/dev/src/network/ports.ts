import { createServer } from "node:net";

/** A port on 127.0.0.1 that was free a moment ago. */
export function findFreePort(): Promise<number> {
  return listen(0);
}

/** Whether something can listen on this port of 127.0.0.1. */
export async function isPortFree(port: number): Promise<boolean> {
  try {
    await listen(port);
    return true;
  } catch {
    return false;
  }
}

function listen(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host: "127.0.0.1" }, () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address !== null
          ? resolve(address.port)
          : reject(new Error("no TCP port")),
      );
    });
  });
}
