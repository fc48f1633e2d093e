import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { loadFrame } from "../../../pages/frame.js";
import { describeDeadEnd, renderProblemPage } from "../../../pages/problem-page.js";
import { setPageHeaders } from "../../../platform/http/security-headers.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { parseForm, parseQuery } from "../../../protocol/parameters.js";
import { paths } from "../../../protocol/vocabulary.js";
import { ClientDocumentError, HostNotAllowedError } from "../../clients/metadata-document/document-error.js";
import type { OauthContext } from "../../context.js";
import { beginAuthorization } from "./begin.js";
import { renderHostNotAllowed } from "./host-not-allowed-page.js";
import { authorizationQuery } from "./request.js";

/**
 * Mounts the authorization endpoint, for GET and POST (OpenID Connect Core §3.1.2.1).
 *
 * A post from another site has no cookies, so its browser is unknown. It is redirected to GET, which has them; a new browser secret in its
 * answer would end the sign-ins in other tabs.
 */
export function registerAuthorize(app: FastifyInstance, context: OauthContext): void {
  const { store, issuer, cookies, clientDocuments } = context;

  const handle = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      if (request.method === "POST") {
        const form = parseForm(request);
        return await reply.redirect(`${paths.authorize}?${authorizationQuery(form)}`, 303);
      }
      const parameters = parseQuery(request.url);
      const browser = await cookies.ensureBrowser(request, reply);
      const requester = () => app.addressOf(request);
      const refusals = context.refusals.from(requester());
      const common = { store, refusals, clientDocuments, issuer, requestId: request.id };
      const dependencies = { ...common, requester, now: context.now() };
      return await reply.redirect(await beginAuthorization(parameters, browser, dependencies), 303);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      request.log.info({ error: error.code, reason: error.reason }, "authorization request refused");
      if (error instanceof HostNotAllowedError) {
        const session = await cookies.readSession(request);
        const page = await renderHostNotAllowed(request, { error, session }, context);
        return await setPageHeaders(reply).code(403).send(page);
      }
      const frame = await loadFrame(request, store);
      const words = describeDeadEnd(
        `pages.consent.${isAway(error) ? "cannotReach" : "cannotStart"}`,
        frame.texts,
      );
      const problem = { ...words, technical: error.message, code: error.code };
      const page = renderProblemPage(problem, frame);
      const status = error.code === "temporarily_unavailable" ? 503 : 400;
      if (status === 503) void reply.header("retry-after", String(error.retryAfterSeconds));
      return await setPageHeaders(reply).code(status).send(page);
    }
  };
  app.get(paths.authorize, handle);
  app.post(paths.authorize, handle);
}

/** Whether the document of the app could not be fetched, as opposed to refused. */
function isAway(error: OAuthError): boolean {
  return (
    error instanceof ClientDocumentError &&
    (error.fault === "document_unreachable" || error.fault === "document_timeout")
  );
}
