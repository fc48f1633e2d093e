import { createServer } from "node:net";
import process from "node:process";

/** Above the last port that browsers and `fetch` refuse to open, 10080. */
const lowest = 11_000;
const count = 20_000;

/** Each process begins elsewhere, so that two of them do not find the same port. */
let next = (process.pid * 37) % count;

/**
 * A free port of 127.0.0.1, below those that operating systems give to connections: nothing else takes it before the caller listens.
 *
 * @throws {Error} None of them is free.
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < count; tries += 1) {
    const port = lowest + next;
    next = (next + 1) % count;
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No port from ${lowest} to ${lowest + count - 1} is free.`);
}

/** Whether something can listen on this port of 127.0.0.1. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1" }, () => server.close(() => resolve(true)));
  });
}
