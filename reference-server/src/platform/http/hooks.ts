import type { NonceSource } from "@authz/dpop";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RateLimitName } from "../rate-limits/limits.js";
import type { RateLimiter } from "../rate-limits/rate-limiter.js";
import type { TraceSpan, Tracing } from "../tracing/tracing.js";
import type { Lifecycle } from "./management.js";

/** Closes connections after the answer while the process drains, so that clients open the next one elsewhere. */
export function addDrainHeader(app: FastifyInstance, lifecycle: Lifecycle): void {
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (lifecycle.state() === "draining") void reply.header("connection", "close");
    done();
  });
}

/** Gives callers that send a proof the current nonce, in time for their next request (RFC 9449 §8.2). */
export function addNonceHeader(app: FastifyInstance, nonces: NonceSource): void {
  app.addHook("onSend", (request, reply, _payload, done) => {
    if (request.headers["dpop"] !== undefined) void reply.header("dpop-nonce", nonces.current());
    done();
  });
}

export interface RateLimitHookOptions {
  readonly limiter: Pick<RateLimiter, "take">;
  /** The limit of each limited route, by its pattern. */
  readonly routes: ReadonlyMap<string, RateLimitName>;
}

/** Counts the requests of limited routes by address, before anything of them is read. */
export function addRateLimits(app: FastifyInstance, { limiter, routes }: RateLimitHookOptions): void {
  app.addHook("onRequest", async (request) => {
    const name = routes.get(request.routeOptions.url ?? "");
    if (name === undefined) return;
    await limiter.take(name, app.addressOf(request));
  });
}

/** Measures every request, and adds the trace's id to each of its log lines. */
export function addTracing(app: FastifyInstance, tracing: Tracing): void {
  const spans = new WeakMap<FastifyRequest, TraceSpan>();

  app.addHook("onRequest", (request, reply, done) => {
    if (request.routeOptions.config.passedOn === true) return done();
    const route = request.routeOptions.url ?? "none";
    const [path = ""] = request.url.split("?", 1);
    const span = tracing.start({
      name: `${request.method} ${route}`,
      kind: "server",
      headers: request.headers,
      attributes: {
        "http.request.method": request.method,
        "http.route": route,
        "url.path": path,
        "url.scheme": request.protocol,
      },
    });
    spans.set(request, span);
    request.log = request.log.child({ traceId: span.traceId });
    reply.log = request.log;
    reply.raw.once("close", () => {
      span.set({ "http.response.status_code": reply.statusCode });
      if (reply.statusCode >= 500) span.fail(undefined);
      span.end();
    });
    span.run(done);
  });

  // The body arrives in events of the connection, outside of the request's trace.
  app.addHook("preValidation", (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.run(done);
  });
}
