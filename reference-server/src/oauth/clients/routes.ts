import type { FastifyInstance } from "fastify";
import { rawHeaderValues } from "../../platform/http/raw-headers.js";
import { parseForm } from "../../protocol/parameters.js";
import type { FormRequest } from "./form-request.js";

/** What an endpoint answers; without a body it is 200 and empty. */
export interface FormAnswer {
  readonly status?: number;
  readonly body?: object;
}

/** Mounts an endpoint that clients post forms to. Every other method is 405. */
export function mountFormEndpoint(
  app: FastifyInstance,
  path: string,
  handle: (request: FormRequest) => Promise<FormAnswer>,
): void {
  app.post(path, async (request, reply) => {
    const { status = 200, body } = await handle({
      parameters: parseForm(request.headers["content-type"], request.body as Buffer | undefined),
      dpop: rawHeaderValues(request, "dpop"),
      authorization: rawHeaderValues(request, "authorization"),
      requestId: request.id,
      clientAddress: () => app.addressOf(request),
    });
    return await reply.code(status).send(body);
  });
  app.route({
    method: ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"],
    url: path,
    handler: (_request, reply) => {
      const description = "This endpoint takes forms by POST.";
      const body = { error: "invalid_request", error_description: description };
      return reply.code(405).header("allow", "POST").send(body);
    },
  });
}
