import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";

const waiting = new WeakSet<IncomingMessage>();

/**
 * Makes some routes answer `Expect: 100-continue` themselves, so that a refused client need not send its body. Node.js answers it at
 * once otherwise.
 */
export function addExpectContinue(app: FastifyInstance, isSlow: (path: string) => boolean): void {
  app.server.on("checkContinue", (request, response) => {
    if (isSlow(request.url?.split("?", 1)[0] ?? "")) waiting.add(request);
    else response.writeContinue();
    app.routing(request, response);
  });
}

/** Whether the client still waits for `100 Continue`. True once. */
export function awaitsContinue(request: IncomingMessage): boolean {
  return waiting.delete(request);
}
