import fastifyCookie from "@fastify/cookie";
import type { FastifyInstance } from "fastify";
import { registerAssets } from "../pages/routes.js";
import { registerAuthorize } from "./endpoints/authorize/routes.js";
import { registerConsent } from "./endpoints/consent/routes.js";
import type { OauthContext } from "./context.js";
import { registerClientEndpoints } from "./endpoints/client-endpoints.js";
import { registerUserinfo } from "./endpoints/userinfo.js";
import { registerVerification } from "./endpoints/verification.js";

/** Mounts the OAuth endpoints with their pages, and the other pages, which read forms in the same way. */
export async function registerOauth(
  app: FastifyInstance,
  oauth: OauthContext,
  others: {
    /** Among those that clients post forms to. */
    readonly endpoints: (app: FastifyInstance) => void;
    readonly pages: (app: FastifyInstance) => void;
  },
): Promise<void> {
  await app.register(async (scope) => {
    // Bodies stay bytes for the strict form parser, which refuses other content types itself.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    await scope.register(async (endpoints) => {
      await registerClientEndpoints(endpoints, oauth);
      others.endpoints(endpoints);
    });
    await scope.register(async (pages) => {
      await registerPages(pages, oauth);
      others.pages(pages);
    });
    registerUserinfo(scope, oauth);
  });
}

/** Mounts what browsers open. */
async function registerPages(app: FastifyInstance, oauth: OauthContext): Promise<void> {
  await app.register(fastifyCookie, { secret: oauth.config.sessionSecret });
  registerAssets(app);
  registerAuthorize(app, oauth);
  registerConsent(app, oauth);
  registerVerification(app, oauth);
}
