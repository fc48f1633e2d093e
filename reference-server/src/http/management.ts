import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Lifecycle } from "./lifecycle.js";
import type { Metrics } from "./metrics.js";

export interface ManagementOptions {
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly metrics: Metrics;
  /** Rejects when the database does not answer. */
  readonly ping: () => Promise<void>;
}

/**
 * The application of the management port: for the platform, never for the public.
 *
 * `/livez` says that the process runs, `/readyz` that requests may be sent to it, `/metrics` is for Prometheus.
 */
export function createManagementApp({ log, lifecycle, metrics, ping }: ManagementOptions): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = log.child({}, { level: "warn" });
  const app = fastify({ loggerInstance });
  app.addHook("onSend", async (_request, reply) => void reply.header("cache-control", "no-store"));
  app.get("/livez", async () => ({ status: "alive" }));
  app.get("/readyz", async (_request, reply) => {
    const status = lifecycle.state();
    if (status !== "serving") return await reply.code(503).send({ status });
    try {
      await ping();
    } catch (error) {
      log.warn({ code: "DATABASE_AWAY", err: error }, "Not ready: the database does not answer.");
      return await reply.code(503).send({ status: "database_away" });
    }
    return { status: "ready" };
  });
  app.get("/metrics", async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.render()),
  );
  return app;
}
