import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { OutageLog } from "../jobs/outage-log.js";
import type { Metrics } from "./metrics.js";

type LifecycleState = "starting" | "serving" | "draining";

/** Whether this process takes requests; the state only moves forward. */
export interface Lifecycle {
  readonly state: () => LifecycleState;
  readonly serve: () => void;
  readonly drain: () => void;
}

export function createLifecycle(): Lifecycle {
  let state: LifecycleState = "starting";
  return {
    state: () => state,
    serve() {
      if (state === "starting") state = "serving";
    },
    drain() {
      state = "draining";
    },
  };
}

/** Whether the database can be used, or why not. */
export type DatabaseState =
  | { readonly status: "ready" }
  | { readonly status: "database_away"; readonly cause: unknown }
  | { readonly status: "clock_differs"; readonly seconds: number };

export interface ManagementOptions {
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly metrics: Metrics;
  readonly outages: Pick<OutageLog, "report">;
  readonly checkDatabase: () => Promise<DatabaseState>;
}

/**
 * The application of the management port: for the platform, never for the public.
 *
 * `/livez` says that the process runs, `/readyz` that requests may be sent to it, `/metrics` is for Prometheus.
 */
export function createManagementApp(options: ManagementOptions): FastifyInstance {
  const { log, lifecycle, metrics, outages, checkDatabase } = options;
  const loggerInstance: FastifyBaseLogger = log.child({}, { level: "warn" });
  const app = fastify({ loggerInstance });
  app.addHook("onSend", async (_request, reply) => void reply.header("cache-control", "no-store"));
  app.get("/livez", async () => ({ status: "alive" }));
  app.get("/readyz", async (_request, reply) => {
    const status = lifecycle.state();
    if (status !== "serving") return await reply.code(503).send({ status });
    const database = await checkDatabase();
    if (database.status === "ready") return { status: "ready" };
    if (database.status === "clock_differs") {
      const { seconds } = database;
      return await reply.code(503).send({ status: "clock_differs", seconds: Math.round(seconds) });
    }
    const message = "Not ready: the database stores nothing.";
    outages.report({ code: "DATABASE_AWAY", message, err: database.cause }, log);
    return await reply.code(503).send({ status: "database_away" });
  });
  app.get("/metrics", async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.render()),
  );
  return app;
}
