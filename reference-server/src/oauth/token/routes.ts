import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createTokenEndpoint } from "../../grants/endpoint.js";
import { rawHeaderValues } from "../../http/raw-headers.js";
import type { OauthContext } from "../context.js";
import { tokenErrorAnswer } from "../error-answer.js";
import { OAuthError } from "../oauth-error.js";
import { parseForm, unsupportedContentType } from "../parameters.js";
import { paths } from "../vocabulary.js";

/** Mounts the token endpoint (RFC 6749 §3.2). */
export function registerToken(app: FastifyInstance, context: OauthContext): void {
  const answer = createTokenEndpoint(context);

  app.post(paths.token, { errorHandler: answerUnreadable }, async (request, reply) => {
    void reply.header("cache-control", "no-store").header("pragma", "no-cache");
    try {
      return await answer({
        parameters: parseForm(request.headers["content-type"], request.body as Buffer | undefined),
        dpop: rawHeaderValues(request, "dpop"),
        authorization: rawHeaderValues(request, "authorization"),
        requestId: request.id,
      });
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return await sendRefusal(error, request, reply);
    }
  });
}

/** A content type that is none is refused before the route runs; RFC 6749 knows one answer for it. */
function answerUnreadable(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  if (error.code !== "FST_ERR_CTP_INVALID_MEDIA_TYPE") throw error;
  void sendRefusal(unsupportedContentType(), request, reply);
}

function sendRefusal(error: OAuthError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.log.info({ error: error.code, reason: error.reason }, "token request refused");
  const { status, headers, body } = tokenErrorAnswer(error);
  return reply.code(status).headers(headers).send(body);
}
