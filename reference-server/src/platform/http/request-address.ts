import type { FastifyInstance } from "fastify";
import type { ClientAddress } from "./client-address.js";

declare module "fastify" {
  interface FastifyInstance {
    /** The client behind a request; see `ClientAddress`. */
    readonly addressOf: (request: FastifyRequest) => string;
  }
}

/** Lets every route know whom a request comes from. */
export function addRequestAddress(app: FastifyInstance, clientAddress: ClientAddress): void {
  app.decorate("addressOf", (request) => {
    const forwardedFor = request.headers["x-forwarded-for"];
    return clientAddress({
      remoteAddress: request.socket.remoteAddress,
      forwardedFor: Array.isArray(forwardedFor) ? forwardedFor.join(",") : forwardedFor,
    });
  });
}
