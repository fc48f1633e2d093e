import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { rawHeaderValues } from "../../platform/http/raw-headers.js";
import { tokenErrorAnswer } from "../../protocol/error-answer.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import {
  parseForm,
  refuseRepeated,
  requireParameter,
  unsupportedContentType,
} from "../../protocol/parameters.js";
import { paths } from "../../protocol/vocabulary.js";
import { authenticateClient, readClientCredentials, type FormRequest } from "../clients/authenticate.js";
import { findClient } from "../clients/metadata-document/client-documents.js";
import { registerRegistration } from "./registration.js";
import type { OauthContext } from "../context.js";
import { createTokenEndpoint } from "../grants/endpoint.js";
import { authorizeDevice } from "./authorize-device.js";
import { pushAuthorizationRequest } from "./push.js";
import { revokeToken } from "./revoke.js";

/** Mounts the endpoints that clients post forms to. Every refusal has the form of RFC 6749 §5.2. */
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

  // RFC 7009. Needs no proof: any holder of a token may end it.
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
  // Fastify refuses a malformed content type before the route runs.
  const refusal = error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE" ? unsupportedContentType() : error;
  if (!(refusal instanceof OAuthError)) throw error;
  request.log.info({ error: refusal.code, reason: refusal.reason }, "refused");
  const { status, headers, body } = tokenErrorAnswer(refusal);
  void reply.code(status).headers(headers).send(body);
}

/** What an endpoint answers; without a body it is 200 and empty. */
interface FormAnswer {
  readonly status?: number;
  readonly body?: object;
}

/** A form with the preferences of its client (RFC 7240). */
export interface PostedRequest extends FormRequest {
  /** Every `Prefer` header. */
  readonly prefer: readonly string[];
}

/** Mounts an endpoint that clients post forms to. Every other method is 405. */
export function mountFormEndpoint(
  app: FastifyInstance,
  path: string,
  handle: (request: PostedRequest) => Promise<FormAnswer>,
): void {
  app.post(path, async (request, reply) => {
    const { status = 200, body } = await handle({
      parameters: parseForm(request),
      dpop: rawHeaderValues(request, "dpop"),
      authorization: rawHeaderValues(request, "authorization"),
      prefer: rawHeaderValues(request, "prefer"),
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
