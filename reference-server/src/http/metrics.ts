import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { PoolUse } from "../store/store.js";

/** What `/metrics` shows. */
export interface Metrics {
  readonly contentType: string;
  readonly render: () => Promise<string>;
}

/** Measures the process, its requests by route and status, and its database connections. */
export function createMetrics(app: FastifyInstance, poolUse: () => PoolUse): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time to answer a request, by route pattern.",
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  app.addHook("onResponse", async (request, reply) => {
    // The pattern, never the path: a path holds identifiers, and anybody can invent new ones.
    const route = request.routeOptions.url ?? "none";
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  const connections = new Gauge({
    name: "authz_database_connections",
    help: "Database connections in use, and requests that wait for one.",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(poolUse())) connections.set({ state }, count);
    },
  });
  return { contentType: registry.contentType, render: () => registry.metrics() };
}
