import { ReplayStoreUnavailableError } from "@authz/dpop";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Failure, OutageLog } from "../jobs/outage-log.js";
import { RateLimitedError } from "../rate-limits/rate-limiter.js";
import { hasBody } from "./arriving-bodies.js";
import { type Load, OverloadedError } from "./load-shedding.js";
import { UnavailableError } from "./unavailable-error.js";
import { type Problem, type RenderProblemPage, sendProblem } from "./problem.js";

/** What error answers need besides the request. */
export interface ErrorAnswers {
  readonly renderPage: RenderProblemPage;
  readonly outages: Pick<OutageLog, "report">;
  readonly load: Load;
}

/** Answers everything that no route answered: unknown paths, unreadable requests, failures. */
export function addErrorHandler(app: FastifyInstance, answers: ErrorAnswers): void {
  const { renderPage } = answers;
  app.setErrorHandler<FastifyError>((error, request, reply) =>
    answerError({ error, request, reply, ...answers }),
  );
  const sendNotFound = (request: FastifyRequest, reply: FastifyReply) => {
    const description = "There is nothing at this address.";
    const problem = { status: 404, error: "not_found", description, requestId: request.id };
    return sendProblem({ request, reply, renderPage }, problem);
  };
  app.setNotFoundHandler(sendNotFound);
  // Without waiting for a body that no route reads.
  app.addHook("preParsing", (request, reply, _payload, done) => {
    if (!request.is404 || !hasBody(request.raw)) return done();
    void sendNotFound(request, reply.header("connection", "close"));
  });
}

/** Turns a thrown error into an answer. A foreign error is a 500, never a refusal. */
export function answerError(
  input: ErrorAnswers & {
    readonly error: FastifyError | Error;
    readonly request: FastifyRequest;
    readonly reply: FastifyReply;
  },
): Promise<FastifyReply> {
  const { error, request, reply, renderPage, outages, load } = input;
  const problem = toProblem(error, request.id);
  if (error instanceof RateLimitedError) {
    request.log.info({ limit: error.limit }, "Answered with 429.");
    void reply.header("retry-after", String(error.retryAfterSeconds));
  } else if (isTemporary(error)) {
    // The directory is logged elsewhere, once per outage.
    request.log.info({ reason: error.reason }, "Answered with 503.");
    void reply.header("retry-after", String(error.retryAfterSeconds));
  } else if (problem.status === 503) {
    outages.report(
      { ...unavailableCode(error, load), message: "Answered with 503.", err: error },
      request.log,
    );
    void reply.header("retry-after", "1");
  } else if (problem.status >= 500) {
    request.log.error({ code: "REQUEST_FAILED", err: error }, "The request failed.");
  } else {
    request.log.info({ reason: error.message }, "The request was not readable.");
  }
  return sendProblem({ request, reply, renderPage }, problem);
}

/** A temporary refusal with its own time to retry, not a failure of this server. */
interface TemporaryRefusal extends Error {
  readonly code: "temporarily_unavailable";
  readonly reason: string;
  readonly retryAfterSeconds: number;
}

function isTemporary(error: Error): error is TemporaryRefusal {
  return "code" in error && error.code === "temporarily_unavailable" && "reason" in error;
}

/** A late process misses answers that came in time, so only a refused connection shows that the database is away. */
function unavailableCode(error: Error, { isLate }: Load): Pick<Failure, "code"> {
  const isRefused = typeof (error.cause as { readonly code?: unknown } | undefined)?.code === "string";
  const isOwn = error instanceof OverloadedError || (isLate() && !isRefused);
  return isOwn ? { code: "OVERLOADED" } : { code: "DATABASE_AWAY" };
}

function toProblem(error: FastifyError | Error, requestId: string): Problem {
  if (error instanceof UnavailableError || error instanceof ReplayStoreUnavailableError) {
    const description = "The server cannot reach its database. Try again in a moment.";
    return { status: 503, error: "temporarily_unavailable", description, requestId };
  }
  if (isTemporary(error)) {
    const { code, message: description, reason } = error;
    return { status: 503, error: code, description, requestId, reason };
  }
  if (error instanceof RateLimitedError) {
    const { retryAfterSeconds } = error;
    const description = `There were too many requests from here. Try again in ${retryAfterSeconds} seconds.`;
    return { status: 429, error: "temporarily_unavailable", description, requestId, retryAfterSeconds };
  }
  const status = "statusCode" in error ? error.statusCode : undefined;
  if (status === 503) {
    const description = "The server cannot take this request now. Try again in a moment.";
    return { status, error: "temporarily_unavailable", description, requestId };
  }
  if (status !== undefined && status >= 400 && status < 500) {
    return { status, error: "invalid_request", description: clientErrorText(status), requestId };
  }
  const description = `The server failed. Its log has the cause under request ${requestId}.`;
  return { status: 500, error: "server_error", description, requestId };
}

function clientErrorText(status: number): string {
  switch (status) {
    case 413:
      return "The request body is too large.";
    case 415:
      return "The content type of the request is not supported here.";
    default:
      return "The request cannot be read.";
  }
}
