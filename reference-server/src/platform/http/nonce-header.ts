import type { NonceSource } from "@authz/dpop";
import type { FastifyInstance } from "fastify";

/** Hands the current nonce to whoever sends a proof, in time for the next one (RFC 9449 §8.2). */
export function addNonceHeader(app: FastifyInstance, nonces: NonceSource): void {
  app.addHook("onSend", (request, reply, _payload, done) => {
    if (request.headers["dpop"] !== undefined) void reply.header("dpop-nonce", nonces.current());
    done();
  });
}
