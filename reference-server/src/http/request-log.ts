import { type FastifyReply, type FastifyRequest, LogController } from "fastify";

/** One line per request, without the query: it carries codes and states. */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override routeNotFound(): void {}

  override requestCompleted(
    _error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
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
