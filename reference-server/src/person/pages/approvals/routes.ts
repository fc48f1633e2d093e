import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { answerApproval, considerApproval, type Decision, type Standing } from "../../../approvals/answer.js";
import { showDetail, titleOf } from "../../../approvals/details.js";
import { describeEvent } from "../../../audit/describe-event.js";
import { loadEventNames } from "../../../audit/event-names.js";
import { searchAuditEvents } from "../../../audit/search-events.js";
import { type ApprovePage, renderApprovePage } from "../../../pages/approve-page.js";
import { type Frame, loadFrame } from "../../../pages/frame.js";
import { sendDeadEnd } from "../../../pages/problem-page.js";
import { setPageHeaders } from "../../../platform/http/security-headers.js";
import { isUuid } from "../../../protocol/parameters.js";
import { paths } from "../../../protocol/vocabulary.js";
import { createOwnForms, type SignedIn } from "../../../sign-in/browser.js";
import type { PageContext } from "../../../sign-in/page-context.js";
import { signInHref } from "../../../sign-in/sign-in-link.js";
import { type AnswerableApproval, ruledCallType } from "../../../store/approvals.js";
import { clientHost } from "../../../store/clients.js";
import type { Store } from "../../../store/store.js";
import { shortText } from "../../../text/short-text.js";

interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

const decisions: readonly string[] = ["approve", "decline", "decline_and_end"] satisfies readonly Decision[];
/** What the app did lately. */
const recentSeconds = 600;
const mostRecent = 10;
const mostOfName = 80;

/** Mounts the page on which a person answers a call: only a browser that is signed in here can. */
export function registerApprovals(app: FastifyInstance, context: PageContext): void {
  const { store, directories, issuer, cookies, rateLimiter } = context;
  const { sessionSecret } = context.config;
  const forms = createOwnForms({ store, cookies, issuer, sessionSecret });
  const formOf = (id: string) => `approve:${id}`;

  async function sendStanding(
    { request, reply }: Visit,
    standing: Standing,
    signedIn: SignedIn,
  ): Promise<FastifyReply> {
    if (standing.kind === "nothing" || standing.kind === "unknown") {
      const isAway = standing.kind === "unknown";
      const action = { href: paths.home, label: "pages.approve.back" } as const;
      const path = isAway ? "pages.approve.unknown" : "pages.approve.nowhere";
      return await sendDeadEnd({ request, reply }, { path, status: isAway ? 503 : 404, action }, store);
    }
    const { approval } = standing;
    const frame = await loadFrame(request, store);
    const page = await loadPage(approval, { frame, viewer: signedIn.user.id, now: context.now() }, store);
    const action = actionOf(standing, {
      csrfToken: forms.csrfOf(signedIn, formOf(approval.id)),
      viewer: signedIn.user.id,
    });
    return await setPageHeaders(reply, { script: true }).send(renderApprovePage({ ...page, action }, frame));
  }

  app.get<{ Params: { id: string } }>(`${paths.approve}/:id`, async (request, reply) => {
    const { id } = request.params;
    const signedIn = await forms.readSignedIn(request);
    if (signedIn === undefined)
      return await reply.redirect(signInHref(isUuid(id) ? { returnTo: `${paths.approve}/${id}` } : {}), 303);
    await rateLimiter.take("skills.person", signedIn.user.id);
    const sources = { store, directories, now: context.now() };
    const standing = isUuid(id)
      ? await considerApproval(id, signedIn, sources)
      : ({ kind: "nothing" } as const);
    return await sendStanding({ request, reply }, standing, signedIn);
  });

  app.post<{ Params: { id: string } }>(`${paths.approve}/:id`, async (request, reply) => {
    const { id } = request.params;
    const post = isUuid(id) ? await forms.readOwnPost(request, formOf(id)) : undefined;
    const decision = post?.form.repeated.has("decision") === true ? undefined : post?.form.get("decision");
    if (post === undefined || decision === undefined || !decisions.includes(decision))
      return await reply.redirect(isUuid(id) ? `${paths.approve}/${id}` : paths.home, 303);
    await rateLimiter.take("ask.person", post.user.id);
    const sources = { store, directories, now: context.now(), requestId: request.id };
    await answerApproval(id, decision as Decision, post, sources);
    return await reply.redirect(`${paths.approve}/${id}`, 303);
  });
}

function actionOf(
  standing: Exclude<Standing, { readonly kind: "nothing" | "unknown" }>,
  { csrfToken, viewer }: { readonly csrfToken: string; readonly viewer: string },
): ApprovePage["action"] {
  const { kind, approval } = standing;
  if (kind === "look") return undefined;
  if (kind === "answer") return { kind, csrfToken, canEnd: approval.userId === viewer };
  const returnTo = `${paths.approve}/${approval.id}`;
  return { kind, reason: standing.stale, href: signInHref({ returnTo, prompt: "login" }) };
}

async function loadPage(
  approval: AnswerableApproval,
  { frame, viewer, now }: { readonly frame: Frame; readonly viewer: string; readonly now: Date },
  store: Store,
): Promise<Omit<ApprovePage, "action">> {
  const { id, person, resource, detail, method, url, reason, createdAt, expiresAt } = approval;
  const { resourceId } = approval;
  const service = resourceId === null ? undefined : await store.resources.find(resourceId);
  const type = service?.authorizationDetailsTypes.find((one) => one.type === detail.type);
  const isRuled = detail.type === ruledCallType;
  return {
    id,
    state: shownState(approval, now),
    app: { name: appName(approval), provenance: provenanceOf(approval) },
    person: person.id === viewer ? undefined : (person.email ?? person.name ?? person.id),
    service: resource,
    title: isRuled ? undefined : titleOf(type, detail, frame.texts),
    isRuled,
    method,
    url,
    ...showDetail(type, detail, frame.texts),
    reason,
    askedAt: createdAt,
    until: expiresAt,
    recent: await loadRecent(approval, { frame, now }, store),
  };
}

/** One that nobody answered in time has expired, also before its event is written; a stop writes none. */
function shownState({ state, expiresAt, isLive }: AnswerableApproval, now: Date): ApprovePage["state"] {
  if (state !== "pending") return state;
  if (expiresAt <= now) return "expired";
  return isLive ? "pending" : "withdrawn";
}

/** What an app calls itself. */
export function appName({ client, clientId }: AnswerableApproval): string {
  return shortText(client?.name ?? clientId, mostOfName) ?? clientId;
}

function provenanceOf({ client }: AnswerableApproval): ApprovePage["app"]["provenance"] {
  if (client === null) return "nobody";
  const host = clientHost(client);
  if (host !== null) return { host };
  return client.source === "registered" ? "registered" : "nobody";
}

async function loadRecent(
  { userId: subject, clientId, createdAt }: AnswerableApproval,
  { frame, now }: { readonly frame: Frame; readonly now: Date },
  store: Pick<Store, "auditSearch">,
): Promise<ApprovePage["recent"]> {
  const from = new Date(Math.min(createdAt.getTime(), now.getTime()) - recentSeconds * 1000);
  const search = { from, subject: { id: subject }, clientId, limit: mostRecent };
  const { items } = await searchAuditEvents(store, search);
  const names = await loadEventNames(store, items);
  return items.map((event) => ({
    at: new Date(event.at),
    sentence: describeEvent(event, names, frame.texts),
  }));
}
