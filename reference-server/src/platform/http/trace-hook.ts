import type { FastifyInstance, FastifyRequest } from "fastify";
import type { TraceSpan, Tracing } from "../tracing/tracing.js";

/** Measures every request, and puts the trace's id on each of its log lines. */
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

  // The body arrives in events of the connection, which know nothing of the request's trace.
  app.addHook("preValidation", (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.run(done);
  });
}
