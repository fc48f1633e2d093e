import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ask } from "../../../access-requests/ask.js";
import { AskError } from "../../../access-requests/ask-error.js";
import { loadFrame } from "../../../pages/frame.js";
import { html } from "../../../pages/html.js";
import { renderProblemPage, sendDeadEnd } from "../../../pages/problem-page.js";
import { loadPermissions } from "../../../permissions/load-permissions.js";
import { type Exchange, setPageHeaders } from "../../../platform/http/security-headers.js";
import { isUuid, readForm } from "../../../protocol/parameters.js";
import { paths } from "../../../protocol/vocabulary.js";
import { csrfToken, isCsrfToken, isOwnForm } from "../../../sign-in/browser.js";
import type { RefusedRequest } from "../../../store/authorization-requests.js";
import type { BrowserSession } from "../../../store/browser-sessions.js";
import type { User } from "../../../store/users.js";
import type { OauthContext } from "../../context.js";
import { notPermitted } from "../authorize/decide.js";
import { errorResponse } from "../authorize/request.js";
import { type Refusal, refusedForm, renderRefusal, wishOf } from "./refusal.js";

/** A form posted from the page of a refused request, by the person it was made for. */
interface PostedRefusal {
  readonly refusal: Refusal;
  readonly user: User;
  readonly session: BrowserSession;
  readonly claim: RefusedRequest;
  readonly reason: string;
  readonly csrf: string;
}

/** The same form was posted at the same moment, and counted already. */
class FormUsedError extends Error {
  override readonly name = "FormUsedError";
}

/**
 * Mounts the form on the page of a refused request, where a person asks for the permissions they lack without having any.
 * It counts once, for ten minutes at most, and only in the browser and for the person that were refused. It opens no session.
 */
export function registerRefused(app: FastifyInstance, context: OauthContext): void {
  const { store, directories, rateLimiter } = context;

  app.post(paths.refused, async (request, reply) => {
    const posted = await readPosted(request, context);
    if (posted === undefined) return await sendOver({ request, reply }, context);
    const { refusal, user, claim, reason } = posted;
    await rateLimiter.take("ask.person", user.id);
    const { wanted, scopes } = wishOf(refusal);
    // An empty list would ask for everything, and the app may be given none of it any more.
    if (scopes.length === 0) return await sendOver({ request, reply }, context);
    const wish = { user, wanted, scopes, reason, clientId: refusal.client.id, grantId: null };
    try {
      await ask(
        {
          ...wish,
          requestId: request.id,
          async claim(tx) {
            if (!(await tx.authorizationRequests.takeRefused(claim))) throw new FormUsedError();
          },
        },
        { store, directories, now: context.now() },
      );
    } catch (error) {
      if (error instanceof FormUsedError) return await sendOver({ request, reply }, context);
      if (!(error instanceof AskError)) throw error;
      return await sendAgain({ request, reply }, { posted, error }, context);
    }
    return await sendAsked({ request, reply }, refusal, context);
  });
}

async function readPosted(
  request: FastifyRequest,
  { store, cookies, issuer, config, now }: OauthContext,
): Promise<PostedRefusal | undefined> {
  const form = readForm(request);
  const id = form?.get("request");
  const browser = await cookies.readBrowser(request);
  const session = browser?.session;
  if (!isUuid(id) || browser === undefined || session === undefined) return undefined;
  const csrf = csrfToken(config.sessionSecret, session, refusedForm(id));
  if (!isOwnForm(request.headers, issuer) || !isCsrfToken(form?.get("csrf"), csrf)) return undefined;
  const claim = { id, browserHash: browser.hash, userId: session.userId, now: now() };
  const refused = await store.authorizationRequests.findRefused(claim);
  if (refused === undefined) return undefined;
  const user = await store.users.find(session.userId);
  const client = await store.clients.find(refused.clientId);
  if (user?.enabled !== true || client === undefined) return undefined;
  const { resourceId } = refused;
  const resource = resourceId === null ? undefined : await store.resources.find(resourceId);
  const refusal = { request: refused, client, resource };
  return { refusal, user, session, claim, reason: form?.get("reason") ?? "", csrf };
}

/** Where the client learns that nothing was granted; `undefined`: it is a device, which polls. */
async function backHref(
  { request, resource }: Refusal,
  { store, issuer }: OauthContext,
): Promise<string | undefined> {
  const { target } = request;
  if (target.kind === "device") return undefined;
  const { installationName } = await store.settings.get();
  const address = { redirectUri: target.redirectUri, state: target.state ?? undefined };
  return errorResponse(address, issuer, notPermitted({ installationName, serviceName: resource?.name }));
}

/** Nothing was asked for, so the form is still good. */
async function sendAgain(
  { request, reply }: Exchange,
  { posted, error }: { readonly posted: PostedRefusal; readonly error: AskError },
  context: OauthContext,
): Promise<FastifyReply> {
  const { refusal, user, reason, csrf } = posted;
  const { store, directories } = context;
  const frame = await loadFrame(request, store);
  const permissions = await loadPermissions(user, { store, directories });
  const attempt = { reason, problem: frame.texts.text(`pages.access.problems.${error.code}`) };
  const { scopes: left } = wishOf(refusal);
  const page = { ...refusal, permissions, left, csrf, attempt, backHref: await backHref(refusal, context) };
  return await setPageHeaders(reply.code(400), { script: true }).send(
    await renderRefusal(page, store, frame),
  );
}

async function sendAsked(
  { request, reply }: Exchange,
  refusal: Refusal,
  context: OauthContext,
): Promise<FastifyReply> {
  const frame = await loadFrame(request, context.store);
  const { text } = frame.texts;
  const installation = frame.installationName ?? "Authz";
  const client = refusal.client.name;
  const back = await backHref(refusal, context);
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

async function sendOver(exchange: Exchange, { store }: OauthContext): Promise<FastifyReply> {
  const action = { href: paths.home, label: "pages.access.asked.account" } as const;
  return await sendDeadEnd(exchange, { path: "pages.access.over", status: 400, action }, store);
}
