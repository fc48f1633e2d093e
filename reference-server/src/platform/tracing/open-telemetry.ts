import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { ExportResultCode, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "pino";
import type { TraceSampling, TracingConfig } from "./config.js";
import type { TraceSpan, Tracing } from "./tracing.js";

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;

/** How long a stopping process waits for a collector. */
const closeMilliseconds = 2_000;
const reportMilliseconds = 60_000;

/** Starts tracing: spans are sent in batches, in the background. */
export function createTracing(config: TracingConfig, log: Pick<Logger, "warn">): Tracing {
  const { url, protocol, sampling } = config;
  const sender = protocol === "http/json" ? new JsonExporter({ url }) : new ProtobufExporter({ url });
  const exporter = reportingFailures(sender, (err) =>
    log.warn({ code: "TRACES_NOT_SENT", err }, `Traces cannot be sent to ${new URL(url).origin}.`),
  );
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "authz-server" }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: createSampler(sampling),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer("authz-server");
  const propagator = new W3CTraceContextPropagator();
  const active = new AsyncLocalStorage<Context>();

  return {
    isActive: () => active.getStore() !== undefined,
    headers() {
      const carrier: Record<string, string> = {};
      const set = (headers: Record<string, string>, name: string, value: string) =>
        void (headers[name] = value);
      propagator.inject(active.getStore() ?? ROOT_CONTEXT, carrier, { set });
      return carrier;
    },
    start({ name, kind, attributes, headers }) {
      const parent =
        headers === undefined
          ? (active.getStore() ?? ROOT_CONTEXT)
          : propagator.extract(ROOT_CONTEXT, headers, fromHeaders);
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes: { ...attributes } }, parent);
      const context = trace.setSpan(parent, span);
      const started: TraceSpan = {
        traceId: span.spanContext().traceId,
        run: (work) => active.run(context, work),
        set: (more) => void span.setAttributes({ ...more }),
        fail(error) {
          span.setStatus({ code: SpanStatusCode.ERROR });
          span.setAttributes({ "error.type": error instanceof Error ? error.name : "unknown" });
        },
        end: () => span.end(),
      };
      return started;
    },
    async close() {
      // A collector that is away must not keep a server from stopping.
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, delay(closeMilliseconds, undefined, { ref: false })]);
    },
  };
}

/** The SDK drops unsent spans silently; this reports it, at most once a minute. */
function reportingFailures(exporter: SpanExporter, report: (error: unknown) => void): SpanExporter {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code === ExportResultCode.FAILED;
        if (failed && performance.now() - reportedAt > reportMilliseconds) {
          reportedAt = performance.now();
          report(result.error);
        }
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

const fromHeaders = {
  keys: (headers: Readonly<Record<string, unknown>>) => Object.keys(headers),
  get(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
    const value = headers[name];
    return typeof value === "string" ? value : undefined;
  },
};

function createSampler({ kind, parentBased, ratio }: TraceSampling): Sampler {
  const root = rootSampler(kind, ratio);
  return parentBased ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(kind: TraceSampling["kind"], ratio: number): Sampler {
  if (kind === "traceidratio") return new TraceIdRatioBasedSampler(ratio);
  return kind === "always_on" ? new AlwaysOnSampler() : new AlwaysOffSampler();
}
