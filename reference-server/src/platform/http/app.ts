import { randomUUID } from "node:crypto";
import { maxHeaderSize } from "node:http";
import type { Socket } from "node:net";
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Logger } from "pino";
import { createOutageLog, type OutageLog } from "../jobs/outage-log.js";
import { type ArrivingBodies, createBodyLimits } from "./arriving-bodies.js";
import { addRequestAddress, createClientAddress } from "./client-address.js";
import { addErrorHandler, answerError } from "./error-handler.js";
import { createLoadShedding, type LoadShedding } from "./load-shedding.js";
import { type RenderProblemPage, renderPlainProblemPage } from "./problem.js";
import { addSecurityHeaders } from "./security-headers.js";

export interface HttpAppOptions {
  readonly issuer: string;
  readonly log: Logger;
  /** Where failures that affect every request are reported. */
  readonly outages?: Pick<OutageLog, "report">;
  readonly renderProblemPage?: RenderProblemPage;
  /** Proxies whose `X-Forwarded-For` is trusted, as CIDR. */
  readonly trustedProxies?: readonly string[];
  /** Shared by all applications of a process. */
  readonly load?: LoadShedding;
  readonly bodies?: ArrivingBodies;
  /** How long the head of a request may take to arrive, from the connection on. */
  readonly headSeconds?: number;
}

/** The Fastify application without any route: log, limits, headers, error answers. */
export function createHttpApp(options: HttpAppOptions): FastifyInstance {
  const { issuer, log, trustedProxies = [], headSeconds = 15 } = options;
  const { load = createLoadShedding(), bodies = createBodyLimits() } = options;
  const { renderProblemPage: renderPage = renderPlainProblemPage } = options;
  const { outages = createOutageLog({ log, clock: Date.now }) } = options;
  const loggerInstance: FastifyBaseLogger = log;
  const app = fastify({
    loggerInstance,
    logController: new RequestLog(),
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    bodyLimit: 64 * 1024,
    // Schemas limit the length of parameters; Fastify would answer 404 from 101 characters on.
    routerOptions: { maxParamLength: maxHeaderSize },
    // Node checks these timeouts every 30 seconds by default.
    http: { headersTimeout: headSeconds * 1000, connectionsCheckingInterval: headSeconds * 250 },
    // A net below `createBodyLimits`, and below clients that read nothing.
    requestTimeout: 330_000,
    connectionTimeout: 330_000,
    // A stopping process still answers requests that reach it; the answer closes the connection.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      void answerError({ error, request, reply, renderPage, outages, load });
    },
  });
  load.addTo(app);
  addSecurityHeaders(app, { https: issuer.startsWith("https:") });
  addErrorHandler(app, { renderPage, outages, load });
  addRequestAddress(app, createClientAddress(trustedProxies));
  bodies.addTo(app);
  closeSilentConnections(app, { headSeconds });
  return app;
}

/** One line per request, without the query: it carries codes and states. */
class RequestLog extends LogController {
  override incomingRequest(): void {}

  override routeNotFound(): void {}

  override streamError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    // A forwarded answer that breaks off is in the audit trail, and is no error of this server.
    if (request.routeOptions.config.handsThrough !== true) super.streamError(error, request, reply);
    else reply.log.info({ reason: error.message }, "The answer broke off.");
  }

  override requestCompleted(
    _error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    if (request.routeOptions.config.passedOn === true) return;
    const [path] = request.url.split("?", 1);
    const fields = {
      method: request.method,
      path,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    reply.log.info(fields, "request");
  }
}

/**
 * Closes connections without a request once the process stops. Browsers and connection pools open them before their next request; Node.js
 * counts them as busy, and stops checking their timeouts from then on.
 */
function closeSilentConnections(
  app: FastifyInstance,
  { headSeconds }: { readonly headSeconds: number },
): void {
  const silent = new Set<Socket>();
  app.server.on("connection", (socket: Socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  app.server.on("request", ({ socket }) => silent.delete(socket));
  app.addHook("preClose", async () => {
    for (const socket of silent) if (socket.bytesRead === 0) socket.destroy();
    // A request that is arriving keeps its usual time.
    setTimeout(() => {
      for (const socket of silent) socket.destroy();
    }, headSeconds * 1000).unref();
  });
}
