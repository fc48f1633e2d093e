import type { FastifyInstance } from "fastify";
import { serverVersion } from "./server-version.js";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** How the connections to the database are used at one moment. */
export interface PoolUse {
  readonly used: number;
  readonly idle: number;
  /** Pieces of work that wait for a connection. */
  readonly waiting: number;
}

/** What `/metrics` shows. */
export interface Metrics {
  readonly contentType: string;
  readonly render: () => Promise<string>;
  /** Measures the requests of an application. */
  readonly measure: (app: FastifyInstance) => void;
}

/** Figures of other parts of the server, read for each scrape. */
export interface MetricSources {
  readonly poolUse: () => PoolUse;
  /** By limit. */
  readonly refusedRequests: () => Readonly<Record<string, number>>;
  /** By kind. */
  readonly removedRecords: () => Readonly<Record<string, number>>;
  readonly sealedEvents: () => number;
  readonly clockDifferenceSeconds: () => number;
  readonly droppedLogLines: () => number;
  /** By event. */
  readonly refusals: () => Readonly<Record<string, number>>;
  /** By state. Rejects while the database is away. */
  readonly skillCatalogs: () => Promise<Readonly<Record<string, number>>>;
  /** Rejects while the database is away. */
  readonly undeliveredNotifications: () => Promise<number>;
  /** By kind. */
  readonly presenceAnswers: () => Readonly<Record<string, number>>;
  /** Rejects while the database is away. */
  readonly presenceAlarms: () => Promise<number>;
  /** By outcome. */
  readonly signals: () => Readonly<Record<string, number>>;
  /** By health. Rejects while the database is away. */
  readonly signalStreams: () => Promise<Readonly<Record<string, number>>>;
  /** By stream. Rejects while the database is away. */
  readonly signalLagSeconds: () => Promise<Readonly<Record<string, number>>>;
}

/** Measures the process, requests by route and status, and its database connections. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time to answer a request, by route pattern.",
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const measure = (app: FastifyInstance) => {
    app.addHook("onResponse", async ({ method, routeOptions }, { statusCode: status, elapsedTime }) => {
      if (routeOptions.config.passedOn === true) return;
      // The pattern, never the path: paths have identifiers, and callers can invent new ones.
      duration.observe({ method, route: routeOptions.url ?? "none", status }, elapsedTime / 1000);
    });
  };
  addGauge(registry, "state", async () => ({ ...sources.poolUse() }), {
    name: "authz_database_connections",
    help: "Database connections in use, and requests that wait for one.",
  });
  addGauge(registry, undefined, async () => ({ "": sources.clockDifferenceSeconds() }), {
    name: "authz_clock_difference_seconds",
    help: "By how much the clock of this machine is ahead of the clock of the database.",
  });
  addGauge(registry, "state", sources.skillCatalogs, {
    name: "authz_skill_catalogs",
    help: "Skill catalogs of services in the database, by how fresh their copy is.",
  });
  addGauge(registry, undefined, async () => ({ "": await sources.undeliveredNotifications() }), {
    name: "authz_notifications_undelivered",
    help: "Notifications in the database that were tried and are not delivered.",
  });
  addGauge(registry, undefined, async () => ({ "": await sources.presenceAlarms() }), {
    name: "authz_presence_alarms",
    help: "Sign-in providers whose answers about people do not count, or that give none.",
  });
  addGauge(registry, "health", sources.signalStreams, {
    name: "authz_signal_streams",
    help: "Streams of security events from identity providers, by how they do.",
  });
  addGauge(registry, "stream", sources.signalLagSeconds, {
    name: "authz_signal_lag_seconds",
    help: "Time from the last security event of a stream to its receipt.",
  });
  addTotal(registry, "outcome", sources.signals, {
    name: "authz_signals_total",
    help: "Security events that this process received, by what became of them.",
  });
  addGauge(registry, "version", async () => ({ [serverVersion]: 1 }), {
    name: "authz_build_info",
    help: "The version of this process.",
  });
  addTotal(registry, "event", sources.refusals, {
    name: "authz_refusals_total",
    help: "Refusals of this process by their event, such as sign_in.refused, whether recorded or only counted.",
  });
  addTotal(registry, "answer", sources.presenceAnswers, {
    name: "authz_presence_answers_total",
    help: "What sign-in providers answered this process about people: confirmed, refused, failed, or lost on the way.",
  });
  addTotal(registry, "limit", sources.refusedRequests, {
    name: "authz_rate_limited_requests_total",
    help: "Requests that this process refused with 429.",
  });
  addTotal(registry, "kind", sources.removedRecords, {
    name: "authz_expired_records_removed_total",
    help: "Expired records that this process removed.",
  });
  addTotal(registry, undefined, () => ({ "": sources.sealedEvents() }), {
    name: "authz_audit_events_sealed_total",
    help: "Audit events that this process sealed.",
  });
  addTotal(registry, undefined, () => ({ "": sources.droppedLogLines() }), {
    name: "authz_log_lines_dropped_total",
    help: "Lines of the log that were dropped, because its disk was full or its reader stalled.",
  });
  return { contentType: registry.contentType, render: () => registry.metrics(), measure };
}

/** A gauge that is read for each scrape. It has no value while it cannot be read, so that the other metrics are still answered. */
function addGauge(
  registry: Registry,
  label: string | undefined,
  read: () => Promise<Readonly<Record<string, number>>>,
  names: { readonly name: string; readonly help: string },
): void {
  const gauge = new Gauge({
    ...names,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      const values = await read().catch(() => ({}));
      gauge.reset();
      if (label === undefined) gauge.remove();
      for (const [key, value] of Object.entries(values))
        gauge.set(label === undefined ? {} : { [label]: key }, value);
    },
  });
}

function addTotal(
  registry: Registry,
  label: string | undefined,
  read: () => Readonly<Record<string, number>>,
  names: { readonly name: string; readonly help: string },
): void {
  const counter = new Counter({
    ...names,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    collect() {
      counter.reset();
      for (const [key, total] of Object.entries(read())) {
        if (label === undefined) counter.inc(total);
        else counter.inc({ [label]: key }, total);
      }
    },
  });
}
