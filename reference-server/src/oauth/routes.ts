import fastifyCookie from "@fastify/cookie";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { registerAssets } from "../pages/routes.js";
import { registerAuthorize } from "./endpoints/authorize/routes.js";
import { registerConsent } from "./endpoints/consent/routes.js";
import type { OauthContext } from "./context.js";
import { registerDeviceAuthorization } from "./endpoints/device/routes.js";
import { tokenErrorAnswer } from "../protocol/error-answer.js";
import { OAuthError } from "../protocol/oauth-error.js";
import { unsupportedContentType } from "../protocol/parameters.js";
import { registerPushedRequests } from "./endpoints/par/routes.js";
import { registerRevocation } from "./endpoints/revocation/routes.js";
import { registerToken } from "./endpoints/token.js";
import { registerUserinfo } from "./endpoints/userinfo.js";
import { registerVerification } from "./endpoints/verification/routes.js";

/** Mounts the OAuth endpoints, the pages that belong to them, and the other pages, which read forms in the same way. */
export async function registerOauth(
  app: FastifyInstance,
  oauth: OauthContext,
  registerOtherPages: (pages: FastifyInstance) => void,
): Promise<void> {
  await app.register(async (scope) => {
    // Bodies stay bytes: the strict form parser reads them, and says itself what it does not take.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    await scope.register((endpoints) => registerClientEndpoints(endpoints, oauth));
    await scope.register(async (pages) => {
      await registerPages(pages, oauth);
      registerOtherPages(pages);
    });
    registerUserinfo(scope, oauth);
  });
}

/** What clients post forms to. Every refusal has the form of RFC 6749 §5.2. */
async function registerClientEndpoints(app: FastifyInstance, oauth: OauthContext): Promise<void> {
  app.setErrorHandler(answerRefusal);
  app.addHook("onRequest", (_request, reply, done) => {
    void reply.header("cache-control", "no-store").header("pragma", "no-cache");
    done();
  });
  registerPushedRequests(app, oauth);
  registerDeviceAuthorization(app, oauth);
  registerToken(app, oauth);
  registerRevocation(app, oauth);
}

/** What browsers open. */
async function registerPages(app: FastifyInstance, oauth: OauthContext): Promise<void> {
  await app.register(fastifyCookie, { secret: oauth.config.sessionSecret });
  registerAssets(app);
  registerAuthorize(app, oauth);
  registerConsent(app, oauth);
  registerVerification(app, oauth);
}

function answerRefusal(error: FastifyError | OAuthError, request: FastifyRequest, reply: FastifyReply): void {
  // A content type that is none is refused before the route runs.
  const refusal = error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE" ? unsupportedContentType() : error;
  if (!(refusal instanceof OAuthError)) throw error;
  request.log.info({ error: refusal.code, reason: refusal.reason }, "refused");
  const { status, headers, body } = tokenErrorAnswer(refusal);
  void reply.code(status).headers(headers).send(body);
}
