import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";

const waiting = new WeakSet<IncomingMessage>();

/**
 * Lets some routes say themselves when a client that asked (`Expect: 100-continue`) shall send its body, so that a refused
 * one need not send it at all. Node says it at once otherwise.
 */
export function addExpectContinue(app: FastifyInstance, isSlow: (path: string) => boolean): void {
  app.server.on("checkContinue", (request, response) => {
    if (isSlow(request.url?.split("?", 1)[0] ?? "")) waiting.add(request);
    else response.writeContinue();
    app.routing(request, response);
  });
}

/** Whether the client of this request waits to be asked for the body. True once. */
export function awaitsContinue(request: IncomingMessage): boolean {
  return waiting.delete(request);
}
