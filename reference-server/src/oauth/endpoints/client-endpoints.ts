import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { tokenErrorAnswer } from "../../protocol/error-answer.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { refuseRepeated, requireParameter, unsupportedContentType } from "../../protocol/parameters.js";
import { paths } from "../../protocol/vocabulary.js";
import { authenticateClient } from "../clients/authenticate.js";
import { findClient } from "../clients/find-client.js";
import { readClientCredentials } from "../clients/credentials.js";
import { registerRegistration } from "../clients/registration/routes.js";
import { mountFormEndpoint } from "../clients/routes.js";
import type { OauthContext } from "../context.js";
import { createTokenEndpoint } from "../grants/endpoint.js";
import { authorizeDevice } from "./authorize-device.js";
import { pushAuthorizationRequest } from "./push.js";
import { revokeToken } from "./revoke.js";

/** Mounts what clients post forms to. Every refusal has the form of RFC 6749 §5.2. */
export async function registerClientEndpoints(app: FastifyInstance, oauth: OauthContext): Promise<void> {
  const { store, issuer, keys, proofChecker, clientDocuments } = oauth;
  const { sessionSecret } = oauth.config;
  app.setErrorHandler(answerRefusal);
  app.addHook("onRequest", (_request, reply, done) => {
    void reply.header("cache-control", "no-store").header("pragma", "no-cache");
    done();
  });

  // RFC 6749 §3.2
  const answerToken = createTokenEndpoint(oauth);
  mountFormEndpoint(app, paths.token, async (request) => ({ body: await answerToken(request) }));

  // RFC 9126
  mountFormEndpoint(app, paths.pushedRequest, async (request) => {
    const dependencies = { store, clientDocuments, issuer, proofChecker, now: oauth.now() };
    return { status: 201, body: await pushAuthorizationRequest(request, dependencies) };
  });

  // RFC 8628 §3.1
  mountFormEndpoint(app, paths.deviceAuthorization, async (request) => {
    const dependencies = { store, clientDocuments, issuer, proofChecker, sessionSecret, now: oauth.now() };
    return { body: await authorizeDevice(request, dependencies) };
  });

  // RFC 7591
  registerRegistration(app, oauth);

  // RFC 7009. It asks for no proof: whoever holds a token may end it.
  mountFormEndpoint(app, paths.revocation, async (request) => {
    const { parameters, requestId } = request;
    refuseRepeated(parameters, ["token", "token_type_hint"]);
    const credentials = readClientCredentials(request);
    const token = requireParameter(parameters, "token");
    const now = oauth.now();
    const found = await findClient(credentials.clientId, request.clientAddress, oauth);
    const authenticated = authenticateClient(found, credentials, { issuer, now });
    await revokeToken(token, authenticated, { store, keys, issuer, now, requestId });
    return {};
  });
}

function answerRefusal(error: FastifyError | OAuthError, request: FastifyRequest, reply: FastifyReply): void {
  // A content type that is none is refused before the route runs.
  const refusal = error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE" ? unsupportedContentType() : error;
  if (!(refusal instanceof OAuthError)) throw error;
  request.log.info({ error: refusal.code, reason: refusal.reason }, "refused");
  const { status, headers, body } = tokenErrorAnswer(refusal);
  void reply.code(status).headers(headers).send(body);
}
