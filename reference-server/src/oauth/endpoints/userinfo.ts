import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { rawHeaderValues } from "../../platform/http/raw-headers.js";
import { authenticateAccessToken } from "../tokens/authenticate-access-token.js";
import { personClaims } from "../tokens/claims.js";
import type { OauthContext } from "../context.js";
import { protectedErrorAnswer } from "../../protocol/error-answer.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { readForm } from "../../protocol/parameters.js";
import { paths } from "../../protocol/vocabulary.js";

/** Mounts the userinfo endpoint (OpenID Connect Core §5.3). */
export function registerUserinfo(app: FastifyInstance, context: OauthContext): void {
  const { store, keys, issuer, proofChecker } = context;

  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      refuseTokenInBody(request);
      const access = await authenticateAccessToken(
        {
          method: request.method,
          url: request.url,
          authorization: rawHeaderValues(request, "authorization"),
          dpop: rawHeaderValues(request, "dpop"),
        },
        { store, keys, issuer, proofChecker, now: context.now() },
      );
      if (!access.scopes.includes("openid")) {
        throw new OAuthError(
          "insufficient_scope",
          "openid_missing",
          "The access token does not have the scope openid.",
        );
      }
      return { sub: access.user.id, ...personClaims(access.user, access.scopes) };
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      request.log.info({ error: error.code, reason: error.reason }, "userinfo refused");
      const { status, headers, body } = protectedErrorAnswer(error, "openid");
      return await reply.code(status).headers(headers).send(body);
    }
  };
  app.get(paths.userinfo, handle);
  app.post(paths.userinfo, handle);
}

function refuseTokenInBody(request: FastifyRequest): void {
  const form = readForm(request);
  if (form?.get("access_token") !== undefined) {
    throw new OAuthError(
      "invalid_request",
      "token_in_body",
      "Send the access token once, in the Authorization header.",
    );
  }
}
