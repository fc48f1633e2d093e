import { randomUUID } from "node:crypto";
import { maxHeaderSize } from "node:http";
import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { createOutageLog, type OutageLog } from "../jobs/outage-log.js";
import { type ArrivingBodies, createBodyLimits } from "./arriving-bodies.js";
import { createClientAddress } from "./client-address.js";
import { addErrorHandler, answerError } from "./error-handler.js";
import { createLoadShedding, type LoadShedding } from "./load-shedding.js";
import { type RenderProblemPage, renderPlainProblemPage } from "./problem.js";
import { addRequestAddress } from "./request-address.js";
import { RequestLog } from "./request-log.js";
import { addSecurityHeaders } from "./security-headers.js";
import { closeSilentConnections } from "./silent-connections.js";

export interface HttpAppOptions {
  readonly issuer: string;
  readonly log: Logger;
  /** Where failures are told that hit everybody. */
  readonly outages?: Pick<OutageLog, "report">;
  readonly renderProblemPage?: RenderProblemPage;
  /** Whose word counts about where a request comes from. */
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
    // How long a parameter may be, its schema says; Fastify would take one of 101 characters for another address.
    routerOptions: { maxParamLength: maxHeaderSize },
    // Node looks only now and then which connections have been silent for so long: every 30 seconds unless told.
    http: { headersTimeout: headSeconds * 1000, connectionsCheckingInterval: headSeconds * 250 },
    // Bodies have their own time, see `createBodyLimits`. These are only nets below both, and below clients that read nothing.
    requestTimeout: 330_000,
    connectionTimeout: 330_000,
    // A process that stops still answers what reaches it; the answer closes the connection.
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
