import type { FastifyInstance } from "fastify";
import { createTokenEndpoint } from "../../grants/endpoint.js";
import { rawHeaderValues } from "../../http/raw-headers.js";
import type { OauthContext } from "../context.js";
import { parseForm } from "../parameters.js";
import { paths } from "../vocabulary.js";

/** Mounts the token endpoint (RFC 6749 §3.2). */
export function registerToken(app: FastifyInstance, context: OauthContext): void {
  const answer = createTokenEndpoint(context);

  app.post(paths.token, (request) =>
    answer({
      parameters: parseForm(request.headers["content-type"], request.body as Buffer | undefined),
      dpop: rawHeaderValues(request, "dpop"),
      authorization: rawHeaderValues(request, "authorization"),
      requestId: request.id,
    }),
  );
}
