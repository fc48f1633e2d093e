import { randomUUID } from "node:crypto";
import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import type { Logger } from "pino";
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
}

/** The Fastify application without any route: log, limits, headers, error answers. */
export function createHttpApp(options: HttpAppOptions): FastifyInstance {
  const { issuer, log, renderProblemPage: renderPage = renderPlainProblemPage, loadLimits } = options;
  const loggerInstance: FastifyBaseLogger = log;
  const app = fastify({
    loggerInstance,
    logController: new RequestLog(),
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    bodyLimit: 64 * 1024,
    requestTimeout: 15_000,
    // A process that stops still answers what reaches it; the answer closes the connection.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      void answerError({ error, request, reply, renderPage });
    },
  });
  addSecurityHeaders(app, { https: issuer.startsWith("https:") });
  addErrorHandler(app, renderPage);
  addLoadShedding(app, loadLimits);
  return app;
}
