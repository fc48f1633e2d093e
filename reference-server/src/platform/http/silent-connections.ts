import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/**
 * Closes connections on which no request has come, once the process stops: Node.js counts those among the busy ones, and looks at their
 * time no more from then on. Browsers and connection pools open such connections ahead of their next request.
 */
export function closeSilentConnections(
  app: FastifyInstance,
  { headSeconds }: { readonly headSeconds: number },
): void {
  const silent = new Set<Socket>();
  app.server.on("connection", (socket: Socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  app.server.on("request", ({ socket }) => silent.delete(socket));
  app.addHook("preClose", async () => {
    for (const socket of silent) if (socket.bytesRead === 0) socket.destroy();
    // What is on its way still has the time that it always has.
    setTimeout(() => {
      for (const socket of silent) socket.destroy();
    }, headSeconds * 1000).unref();
  });
}
