import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ask } from "../../../access-requests/ask.js";
import { AskError } from "../../../access-requests/ask-error.js";
import { loadFrame } from "../../../pages/frame.js";
import { html } from "../../../pages/html.js";
import { describeDeadEnd, renderProblemPage } from "../../../pages/problem-page.js";
import { loadPermissions } from "../../../permissions/load-permissions.js";
import { setPageHeaders } from "../../../platform/http/security-headers.js";
import { isUuid, parseForm, readParameters } from "../../../protocol/parameters.js";
import { paths } from "../../../protocol/vocabulary.js";
import { csrfToken, isCsrfToken, isOwnForm } from "../../../sign-in/browser.js";
import type { RefusedRequest } from "../../../store/authorization-requests.js";
import type { BrowserSession } from "../../../store/browser-sessions.js";
import type { User } from "../../../store/users.js";
import type { OauthContext } from "../../context.js";
import { notPermitted } from "../authorize/decide.js";
import { errorResponse } from "../authorize/request.js";
import { type Refusal, refusedForm, renderRefusal, wishOf } from "./refusal.js";

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A form that was sent from the page of a refused request, by whom it was made for. */
interface Sent {
  readonly refusal: Refusal;
  readonly user: User;
  readonly session: BrowserSession;
  readonly taking: RefusedRequest;
  readonly reason: string;
  readonly csrf: string;
}

/** Somebody has sent the same form at the same moment. */
class FormUsedError extends Error {
  override readonly name = "FormUsedError";
}

/**
 * Takes the form on the page of a refused request: whoever has just been refused asks for what they lack, without any permission of
 * their own. It counts once, for ten minutes at most, and only in the browser and for the person that were refused. It opens no session.
 */
export function registerRefused(app: FastifyInstance, context: OauthContext): void {
  const { store, directories, issuer, cookies, rateLimiter } = context;

  app.post(paths.refused, async (request, reply) => {
    const sent = await readSent(request);
    if (sent === undefined) return await sendOver({ request, reply });
    const { refusal, user, taking, reason } = sent;
    await rateLimiter.take("ask.person", user.id);
    const { wanted, scopes } = wishOf(refusal);
    // To name none would be to ask for everything, and the app may be given nothing of it any more.
    if (scopes.length === 0) return await sendOver({ request, reply });
    const wish = { user, wanted, scopes, reason, clientId: refusal.client.id, grantId: null };
    try {
      const now = context.now();
      await ask(
        {
          ...wish,
          requestId: request.id,
          async claim(tx) {
            if (!(await tx.authorizationRequests.takeRefused(taking))) throw new FormUsedError();
          },
        },
        { store, directories, now },
      );
    } catch (error) {
      if (error instanceof FormUsedError) return await sendOver({ request, reply });
      if (!(error instanceof AskError)) throw error;
      return await sendAgain({ request, reply }, sent, error);
    }
    return await sendAsked({ request, reply }, sent);
  });

  async function readSent(request: FastifyRequest): Promise<Sent | undefined> {
    const form = readParameters(() =>
      parseForm(request.headers["content-type"], request.body as Buffer | undefined),
    );
    const id = form?.get("request");
    const browser = await cookies.readBrowser(request);
    const session = browser?.session;
    if (!isUuid(id) || browser === undefined || session === undefined) return undefined;
    const csrf = csrfToken(context.config.sessionSecret, session, refusedForm(id));
    if (!isOwnForm(request.headers, issuer) || !isCsrfToken(form?.get("csrf"), csrf)) return undefined;
    const taking = { id, browserHash: browser.hash, userId: session.userId, now: context.now() };
    const refused = await store.authorizationRequests.findRefused(taking);
    if (refused === undefined) return undefined;
    const user = await store.users.find(session.userId);
    const client = await store.clients.find(refused.clientId);
    if (user?.enabled !== true || client === undefined) return undefined;
    const { resourceId } = refused;
    const resource = resourceId === null ? undefined : await store.resources.find(resourceId);
    const refusal = { request: refused, client, resource };
    return { refusal, user, session, taking, reason: form?.get("reason") ?? "", csrf };
  }

  /** Where the client hears that there is nothing. */
  async function backHref({ request, resource }: Refusal): Promise<string | undefined> {
    const { target } = request;
    if (target.kind === "device") return undefined;
    const { installationName } = await store.settings.get();
    const address = { redirectUri: target.redirectUri, state: target.state ?? undefined };
    return errorResponse(address, issuer, notPermitted({ installationName, serviceName: resource?.name }));
  }

  /** The form is still good: nothing was asked for. */
  async function sendAgain(
    { request, reply }: Exchange,
    { refusal, user, reason, csrf }: Sent,
    { code }: AskError,
  ) {
    const frame = await loadFrame(request, store);
    const permissions = await loadPermissions(user, { store, directories });
    const attempt = { reason, problem: frame.texts.text(`pages.access.problems.${code}`) };
    const { scopes } = wishOf(refusal);
    const page = { ...refusal, permissions, left: scopes, csrf, attempt, backHref: await backHref(refusal) };
    return await setPageHeaders(reply.code(400), { script: true }).send(
      await renderRefusal(page, store, frame),
    );
  }

  async function sendAsked({ request, reply }: Exchange, { refusal }: Sent) {
    const frame = await loadFrame(request, store);
    const { text } = frame.texts;
    const installation = frame.installationName ?? "Authz";
    const client = refusal.client.name;
    const back = await backHref(refusal);
    const page = renderProblemPage(
      {
        title: text("pages.access.asked.title"),
        paragraphs: [text("pages.access.asked.why", { installation }), text("pages.access.asked.next")],
        more: html`<p class="buttons"><a class="button" href="${paths.home}">${text("pages.access.asked.account")}</a></p>\n`,
        ...(back !== undefined && {
          action: { href: back, label: text("pages.consent.nothing.back", { client }) },
        }),
      },
      frame,
    );
    return await setPageHeaders(reply, { script: true }).send(page);
  }

  async function sendOver({ request, reply }: Exchange) {
    const frame = await loadFrame(request, store);
    const words = describeDeadEnd("pages.access.over", frame.texts);
    const action = { href: paths.home, label: frame.texts.text("pages.access.asked.account") };
    const page = renderProblemPage({ ...words, action }, frame);
    return await setPageHeaders(reply.code(400)).send(page);
  }
}
