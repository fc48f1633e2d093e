import fastifyCookie from "@fastify/cookie";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { registerAccount } from "../account/routes.js";
import { registerDisconnect } from "../connectors/disconnect/routes.js";
import { registerConnect } from "../connectors/connect/routes.js";
import type { ServerContext } from "../context.js";
import { createBrowserCookies } from "../login/browser-cookies.js";
import { registerSignIn } from "../login/routes.js";
import { createUpstream } from "../login/upstream.js";
import { registerSetUp } from "../install/routes.js";
import { registerAssets } from "../pages/routes.js";
import { registerAuthorize } from "./authorize/routes.js";
import { registerConsent } from "./consent/routes.js";
import type { OauthContext } from "./context.js";
import { registerDeviceAuthorization } from "./device/routes.js";
import { tokenErrorAnswer } from "./error-answer.js";
import { OAuthError } from "./oauth-error.js";
import { unsupportedContentType } from "./parameters.js";
import { registerPushedRequests } from "./par/routes.js";
import { registerRevocation } from "./revocation/routes.js";
import { registerToken } from "./token/routes.js";
import { registerUserinfo } from "./userinfo/routes.js";
import { registerVerification } from "./verification/routes.js";

/** Mounts the OAuth endpoints and the sign-in and consent pages. */
export async function registerOauth(app: FastifyInstance, context: ServerContext): Promise<void> {
  const oauth = createOauthContext(context);
  await app.register(async (scope) => {
    // Bodies stay bytes: the strict form parser reads them, and says itself what it does not take.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    await scope.register((endpoints) => registerClientEndpoints(endpoints, oauth));
    await scope.register((pages) => registerPages(pages, oauth));
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
  registerSignIn(app, oauth, registerSetUp(app, oauth));
  registerAccount(app, oauth);
  registerConnect(app, oauth);
  registerDisconnect(app, oauth);
}

function answerRefusal(error: FastifyError | OAuthError, request: FastifyRequest, reply: FastifyReply): void {
  // A content type that is none is refused before the route runs.
  const refusal = error.code === "FST_ERR_CTP_INVALID_MEDIA_TYPE" ? unsupportedContentType() : error;
  if (!(refusal instanceof OAuthError)) throw error;
  request.log.info({ error: refusal.code, reason: refusal.reason }, "refused");
  const { status, headers, body } = tokenErrorAnswer(refusal);
  void reply.code(status).headers(headers).send(body);
}

function createOauthContext(context: ServerContext): OauthContext {
  const { config, store, credentials, outboundFetch, clock } = context;
  const { issuer, allowInsecureLoopback } = config;
  const now = () => new Date(clock());
  return {
    ...context,
    issuer,
    now,
    cookies: createBrowserCookies({ https: issuer.startsWith("https:"), store, now }),
    upstream: createUpstream({
      issuer,
      credentials,
      outboundFetch,
      allowInsecureLoopback,
      clock,
    }),
  };
}
