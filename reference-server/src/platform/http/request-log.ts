import { type FastifyReply, type FastifyRequest, LogController } from "fastify";

/** One line per request, without the query: it carries codes and states. */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override routeNotFound(): void {}

  override streamError(error: Error, request: FastifyRequest, reply: FastifyReply): void {
    // What breaks while it is handed through is nobody's here to repair; the audit trail has it.
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
