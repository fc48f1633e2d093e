import { ReplayStoreUnavailableError } from "@authz/dpop";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { RateLimitedError } from "../rate-limits/rate-limiter.js";
import { DatabaseUnavailableError } from "../store/store.js";
import { OverloadedError } from "./load-shedding.js";
import { type Problem, type RenderProblemPage, sendProblem } from "./problem.js";

/** Answers everything that no route answered: unknown paths, unreadable requests, failures. */
export function addErrorHandler(app: FastifyInstance, renderPage: RenderProblemPage): void {
  app.setErrorHandler<FastifyError>((error, request, reply) =>
    answerError({ error, request, reply, renderPage }),
  );
  app.setNotFoundHandler((request, reply) => {
    const description = "There is nothing at this address.";
    const problem = { status: 404, error: "not_found", description, requestId: request.id };
    return sendProblem({ request, reply, renderPage }, problem);
  });
}

/** Turns a thrown error into an answer. A foreign error is a 500, never a refusal. */
export function answerError(input: {
  error: FastifyError | Error;
  request: FastifyRequest;
  reply: FastifyReply;
  renderPage: RenderProblemPage;
}): Promise<FastifyReply> {
  const { error, request, reply, renderPage } = input;
  const problem = toProblem(error, request.id);
  if (error instanceof RateLimitedError) {
    request.log.info({ limit: error.limit }, "Answered with 429.");
    void reply.header("retry-after", String(error.retryAfterSeconds));
  } else if (problem.status === 503) {
    request.log.error({ ...unavailableCode(error), err: error }, "Answered with 503.");
    void reply.header("retry-after", "1");
  } else if (problem.status >= 500) {
    request.log.error({ code: "REQUEST_FAILED", err: error }, "The request failed.");
  } else {
    request.log.info({ reason: error.message }, "The request was not readable.");
  }
  return sendProblem({ request, reply, renderPage }, problem);
}

function unavailableCode(error: Error): { readonly code: string } {
  return error instanceof OverloadedError ? { code: "OVERLOADED" } : { code: "DATABASE_AWAY" };
}

function toProblem(error: FastifyError | Error, requestId: string): Problem {
  if (error instanceof DatabaseUnavailableError || error instanceof ReplayStoreUnavailableError) {
    const description = "The server cannot reach its database. Try again in a moment.";
    return { status: 503, error: "temporarily_unavailable", description, requestId };
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
