import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RefusedAuthorization, RefusedPage, RenderRefused } from "../../../oauth/context.js";
import { notPermitted } from "../../../oauth/endpoints/authorize/decide.js";
import { errorResponse } from "../../../oauth/endpoints/authorize/request.js";
import { isServiceScope, isWithinCeiling } from "../../../oauth/grants/service-access.js";
import { renderAccount } from "../../../pages/fragments.js";
import { renderAskForm, renderRequestState } from "../../../pages/ask-section.js";
import { type Frame, loadFrame } from "../../../pages/frame.js";
import { html } from "../../../pages/html.js";
import { renderProblemPage, sendDeadEnd } from "../../../pages/problem-page.js";
import { loadPermissions } from "../../../permissions/load-permissions.js";
import { type Exchange, setPageHeaders } from "../../../platform/http/security-headers.js";
import { isUuid, readForm } from "../../../protocol/parameters.js";
import { paths } from "../../../protocol/vocabulary.js";
import { csrfToken, isCsrfToken, isOwnForm } from "../../../sign-in/browser.js";
import type { PageContext } from "../../../sign-in/page-context.js";
import { signInHref } from "../../../sign-in/sign-in-link.js";
import type { RefusedRequest } from "../../../store/authorization-requests.js";
import type { BrowserSession } from "../../../store/browser-sessions.js";
import { loginScope } from "../../../store/system-scopes.js";
import type { User } from "../../../store/users.js";
import {
  type AccessStatus,
  ask,
  AskError,
  loadAccessStatus,
  type Requestable,
  requestableAt,
  requestableLogin,
} from "../../access-requests/ask.js";

/** A form that was sent from the page of a refused request, by the person that it was made for. */
interface SentForm {
  readonly refused: RefusedAuthorization;
  readonly user: User;
  readonly session: BrowserSession;
  readonly claim: RefusedRequest;
  readonly reason: string;
}

/** The same form was sent twice at the same time. */
class FormUsedError extends Error {
  override readonly name = "FormUsedError";
}

/** The page of an authorization request that was refused for missing permissions, on which the person can ask for them. */
export interface RefusedPages {
  readonly render: RenderRefused;
  /** Mounts what takes the form of the page. */
  readonly register: (app: FastifyInstance) => void;
}

export function createRefusedPages(context: PageContext): RefusedPages {
  return {
    render: async (page, frame) => await renderRefused(page, frame, context),
    register: (app) => registerRefused(app, context),
  };
}

function csrfOf(id: string, session: BrowserSession, { config }: PageContext): string {
  return csrfToken(config.sessionSecret, session, `refused:${id}`);
}

/** @param page.attempt - a form that was not accepted */
async function renderRefused(
  page: RefusedPage & { readonly attempt?: { readonly reason: string; readonly problem: string } },
  frame: Frame,
  context: PageContext,
): Promise<string> {
  const { request, resource, permissions, session, attempt } = page;
  const { at, scopes } = wantedBy(page);
  const status = at && (await loadAccessStatus({ permissions, at, scopes }, context.store));
  const form = {
    action: paths.refused,
    hidden: { request: request.id, csrf: csrfOf(request.id, session, context) },
    scopes: status?.requestable ?? [],
    ...attempt,
  };
  const { text } = frame.texts;
  const values = {
    service: resource?.name ?? "",
    client: page.client.name,
    installation: frame.installationName ?? "Authz",
    scopes: page.left.join(", "),
    named: page.left.length,
    scope: loginScope,
  };
  const isLogin = resource === undefined;
  const switchAccountHref = signInHref({ prompt: "select_account" });
  const account = renderAccount(
    permissions.user,
    html`<a href="${switchAccountHref}">${text("pages.account.notYou")}</a>`,
    frame,
  );
  return renderProblemPage(
    {
      title: text(`pages.consent.nothing.${isLogin ? "titleLogin" : "title"}`, values),
      paragraphs: [
        text(`pages.consent.nothing.${isLogin ? "whyLogin" : "why"}`, values),
        text(`pages.consent.nothing.${nextStep(status)}`, values),
      ],
      more: html`${status?.last && html`<p class="notice">${renderRequestState(status.last, frame)}</p>\n`}${status?.open === true && renderAskForm(form, frame)}
${account}
<p class="hint">${text("pages.consent.nothing.otherAccount", values)}</p>
`,
      code: "access_denied",
      ...(page.backHref !== undefined && {
        action: { href: page.backHref, label: text("pages.consent.nothing.back", values) },
      }),
    },
    frame,
  );
}

function nextStep(status: AccessStatus | undefined): "next" | "nextAsk" | "nextWait" {
  if (status?.open === true) return "nextAsk";
  return status?.last?.state === "pending" ? "nextWait" : "next";
}

/** What the client asked for, as far as it may ever be given: no assignment widens an app. Pure. */
function wantedBy({ request, client, resource }: RefusedAuthorization): {
  readonly at: Requestable | undefined;
  readonly scopes: readonly string[];
} {
  const at = resource === undefined ? requestableLogin : requestableAt(resource);
  const named = request.scopes.filter(isServiceScope);
  const meant = resource === undefined ? [loginScope] : named.length > 0 ? named : resource.supportedScopes;
  const scopes = meant.filter(
    (scope) => at?.offered.includes(scope) === true && isWithinCeiling(scope, client),
  );
  return { at, scopes };
}

/**
 * Takes the form: a person who has just been refused asks for what they lack, without any permission of their own. It counts once, for
 * ten minutes at most, and only in the browser and for the person that were refused. It opens no session.
 */
function registerRefused(app: FastifyInstance, context: PageContext): void {
  const { store, directories, rateLimiter } = context;

  app.post(paths.refused, async (request, reply) => {
    const sent = await readSent(request, context);
    if (sent === undefined) return await sendOver({ request, reply }, context);
    const { refused, user, claim, reason } = sent;
    await rateLimiter.take("ask.person", user.id);
    const { at, scopes } = wantedBy(refused);
    // Without scopes everything would be requested, and the app may no longer be given any of it.
    if (scopes.length === 0) return await sendOver({ request, reply }, context);
    const own = { user, clientId: refused.client.id, grantId: null, requestId: request.id };
    try {
      await ask(
        {
          ...own,
          at,
          scopes,
          reason,
          async claim(tx) {
            if (!(await tx.authorizationRequests.takeRefused(claim))) throw new FormUsedError();
          },
        },
        { store, directories, now: context.now() },
      );
    } catch (error) {
      if (error instanceof FormUsedError) return await sendOver({ request, reply }, context);
      if (!(error instanceof AskError)) throw error;
      return await sendAgain({ request, reply }, { sent, error }, context);
    }
    return await sendAsked({ request, reply }, refused, context);
  });
}

async function readSent(request: FastifyRequest, context: PageContext): Promise<SentForm | undefined> {
  const { store, cookies, issuer } = context;
  const form = readForm(request);
  const id = form?.get("request");
  const browser = await cookies.readBrowser(request);
  const session = browser?.session;
  if (!isUuid(id) || browser === undefined || session === undefined) return undefined;
  if (!isOwnForm(request.headers, issuer) || !isCsrfToken(form?.get("csrf"), csrfOf(id, session, context)))
    return undefined;
  const claim = { id, browserHash: browser.hash, userId: session.userId, now: context.now() };
  const found = await store.authorizationRequests.findRefused(claim);
  if (found === undefined) return undefined;
  const user = await store.users.find(session.userId);
  const client = await store.clients.find(found.clientId);
  if (user?.enabled !== true || client === undefined) return undefined;
  const { resourceId } = found;
  const resource = resourceId === null ? undefined : await store.resources.find(resourceId);
  const refused = { request: found, client, resource };
  return { refused, user, session, claim, reason: form?.get("reason") ?? "" };
}

/** The client's address with its error; `undefined` for a device, which polls. */
async function loadBackHref(
  { request, resource }: RefusedAuthorization,
  { store, issuer }: PageContext,
): Promise<string | undefined> {
  const { target } = request;
  if (target.kind === "device") return undefined;
  const { installationName } = await store.settings.get();
  const address = { redirectUri: target.redirectUri, state: target.state ?? undefined };
  return errorResponse(address, issuer, notPermitted({ installationName, serviceName: resource?.name }));
}

/** The form can be sent again: nothing was requested. */
async function sendAgain(
  { request, reply }: Exchange,
  { sent, error }: { readonly sent: SentForm; readonly error: AskError },
  context: PageContext,
) {
  const { store, directories } = context;
  const { refused, user, session, reason } = sent;
  const frame = await loadFrame(request, store);
  const permissions = await loadPermissions(user, { store, directories });
  const attempt = { reason, problem: frame.texts.text(`pages.access.problems.${error.code}`) };
  const backHref = await loadBackHref(refused, context);
  const left = wantedBy(refused).scopes;
  const page = { ...refused, session, permissions, left, attempt, backHref };
  return await setPageHeaders(reply.code(400), { script: true }).send(
    await renderRefused(page, frame, context),
  );
}

async function sendAsked({ request, reply }: Exchange, refused: RefusedAuthorization, context: PageContext) {
  const frame = await loadFrame(request, context.store);
  const { text } = frame.texts;
  const installation = frame.installationName ?? "Authz";
  const back = await loadBackHref(refused, context);
  const label = text("pages.consent.nothing.back", { client: refused.client.name });
  const page = renderProblemPage(
    {
      title: text("pages.access.asked.title"),
      paragraphs: [text("pages.access.asked.why", { installation }), text("pages.access.asked.next")],
      more: html`<p class="buttons"><a class="button" href="${paths.home}">${text("pages.access.asked.account")}</a></p>\n`,
      ...(back !== undefined && { action: { href: back, label } }),
    },
    frame,
  );
  return await setPageHeaders(reply, { script: true }).send(page);
}

async function sendOver(exchange: Exchange, { store }: PageContext) {
  const action = { href: paths.home, label: "pages.access.asked.account" } as const;
  return await sendDeadEnd(exchange, { path: "pages.access.over", status: 400, action }, store);
}
