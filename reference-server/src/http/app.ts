import { randomUUID } from "node:crypto";
import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { addBodyDeadline } from "./body-deadline.js";
import { addErrorHandler, answerError } from "./error-handler.js";
import { addLoadShedding, type LoadLimits } from "./load-shedding.js";
import { type RenderProblemPage, renderPlainProblemPage } from "./problem.js";
import { RequestLog } from "./request-log.js";
import { addSecurityHeaders } from "./security-headers.js";

export interface HttpAppOptions {
  readonly issuer: string;
  readonly log: Logger;
  readonly renderProblemPage?: RenderProblemPage;
  readonly loadLimits?: LoadLimits;
  /** How long the body of a request may take to arrive. */
  readonly bodySeconds?: number;
}

/** The Fastify application without any route: log, limits, headers, error answers. */
export function createHttpApp(options: HttpAppOptions): FastifyInstance {
  const { issuer, log, loadLimits, bodySeconds } = options;
  const { renderProblemPage: renderPage = renderPlainProblemPage } = options;
  const loggerInstance: FastifyBaseLogger = log;
  const app = fastify({
    loggerInstance,
    logController: new RequestLog(),
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    bodyLimit: 64 * 1024,
    // Headers have this long; bodies as well, see `addBodyDeadline`. The last is only a net below both.
    http: { headersTimeout: 15_000 },
    requestTimeout: 330_000,
    // A process that stops still answers what reaches it; the answer closes the connection.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      void answerError({ error, request, reply, renderPage });
    },
  });
  addSecurityHeaders(app, { https: issuer.startsWith("https:") });
  addErrorHandler(app, renderPage);
  addLoadShedding(app, loadLimits);
  addBodyDeadline(app, bodySeconds);
  return app;
}
