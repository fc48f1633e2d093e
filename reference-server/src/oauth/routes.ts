import { createProofVerifier } from "@authz/dpop";
import fastifyCookie from "@fastify/cookie";
import type { FastifyInstance } from "fastify";
import { registerAccount } from "../account/routes.js";
import type { ServerContext } from "../context.js";
import { createBrowserCookies } from "../login/browser-cookies.js";
import { registerSignIn } from "../login/routes.js";
import { createUpstream } from "../login/upstream.js";
import { registerAssets } from "../pages/routes.js";
import { registerAuthorize } from "./authorize/routes.js";
import { registerConsent } from "./consent/routes.js";
import type { OauthContext } from "./context.js";
import { registerToken } from "./token/routes.js";
import { registerUserinfo } from "./userinfo/routes.js";
import { paths } from "./vocabulary.js";

/** Mounts the OAuth endpoints and the sign-in and consent pages. */
export async function registerOauth(app: FastifyInstance, context: ServerContext): Promise<void> {
  const oauth = createOauthContext(context);
  await app.register(async (scope) => {
    await scope.register(fastifyCookie, { secret: context.config.sessionSecret });
    // Bodies stay bytes: the strict form parser reads them, and says itself what it does not take.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    registerAssets(scope);
    registerAuthorize(scope, oauth);
    registerConsent(scope, oauth);
    registerToken(scope, oauth);
    registerUserinfo(scope, oauth);
    registerSignIn(scope, oauth);
    registerAccount(scope, oauth);
  });
}

function createOauthContext({
  config,
  store,
  keys,
  credentials,
  outboundFetch,
  clock,
}: ServerContext): OauthContext {
  const { issuer, allowInsecureLoopback } = config;
  const now = () => new Date(clock());
  return {
    config,
    store,
    keys,
    issuer,
    clock,
    now,
    proofVerifier: createProofVerifier({ replayStore: store.dpopReplays, clock }),
    cookies: createBrowserCookies({ https: issuer.startsWith("https:"), store, now }),
    upstream: createUpstream({
      callbackUrl: `${issuer}${paths.signInCallback}`,
      credentials,
      outboundFetch,
      allowInsecureLoopback,
      clock,
    }),
  };
}
