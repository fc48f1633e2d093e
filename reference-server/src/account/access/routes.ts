import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ask } from "../../access-requests/ask.js";
import { AskError } from "../../access-requests/ask-error.js";
import { withdraw } from "../../access-requests/withdraw.js";
import { renderAccessPage } from "../../pages/access-page.js";
import { wantedField } from "../../pages/ask-section.js";
import { loadFrame } from "../../pages/frame.js";
import { sendDeadEnd } from "../../pages/problem-page.js";
import { loadPermissions } from "../../permissions/load-permissions.js";
import { setPageHeaders } from "../../platform/http/security-headers.js";
import { isUuid, readQuery } from "../../protocol/parameters.js";
import { paths } from "../../protocol/vocabulary.js";
import { createOwnForms, type SignedIn } from "../../sign-in/browser.js";
import type { PageContext } from "../../sign-in/page-context.js";
import { signInHref } from "../../sign-in/sign-in-link.js";
import { findPlace, loadAccess, type Place } from "./load-access.js";

/** The name that the forms for asking and withdrawing are bound to. */
export const accessForm = "access";

/** Where a person's requests are on their own page. */
const requestsHref = `${paths.home}#requests`;

/** What somebody typed and chose, and why it was not taken. */
interface Attempt {
  readonly problem: AskError["code"] | "nothing_chosen";
  readonly reason: string;
  readonly chosen: readonly string[];
}

interface Visit extends SignedIn {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Mounts the page that says what a person may do in one place and why, with the form to ask for the rest. */
export function registerAccess(app: FastifyInstance, context: PageContext): void {
  const { store, directories, issuer, cookies, rateLimiter } = context;
  const { sessionSecret } = context.config;
  const forms = createOwnForms({ store, cookies, issuer, sessionSecret });

  async function sendPage(visit: Visit, place: Place, attempt?: Attempt): Promise<FastifyReply> {
    const { request, reply, session, user } = visit;
    const frame = await loadFrame(request, store);
    const permissions = await loadPermissions(user, { store, directories });
    const { requestable, open, ...page } = await loadAccess(place, permissions, store);
    // Nothing is ticked for the person: a request names what they need, not everything there is.
    const { chosen = [], reason = "", problem } = attempt ?? {};
    const csrfToken = forms.csrfOf({ session, user }, accessForm);
    const form = {
      action: paths.access,
      hidden: { csrf: csrfToken, ...place.named },
      scopes: requestable,
      chosen,
      reason,
      ...(problem !== undefined && { problem: frame.texts.text(`pages.access.problems.${problem}`) }),
    };
    const rendered = renderAccessPage({ ...page, form: open ? form : undefined, csrfToken }, frame);
    return await setPageHeaders(reply.code(attempt === undefined ? 200 : 400), { script: true }).send(
      rendered,
    );
  }

  async function sendNowhere(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const action = { href: paths.home, label: "pages.access.back" } as const;
    return await sendDeadEnd(
      { request, reply },
      { path: "pages.access.nowhere", status: 404, action },
      store,
    );
  }

  app.get(paths.access, async (request, reply) => {
    const signedIn = await forms.readSignedIn(request);
    if (signedIn === undefined) return await reply.redirect(signInHref({ returnTo: request.url }), 303);
    await rateLimiter.take("skills.person", signedIn.user.id);
    const place = await findPlace(readQuery(request), store);
    if (place === undefined) return await sendNowhere(request, reply);
    return await sendPage({ request, reply, ...signedIn }, place);
  });

  app.post(paths.access, async (request, reply) => {
    const post = await forms.readOwnPost(request, accessForm);
    if (post === undefined) return await reply.redirect(paths.home, 303);
    const { form, user } = post;
    await rateLimiter.take("ask.person", user.id);
    const place = await findPlace(form, store);
    if (place === undefined) return await sendNowhere(request, reply);
    const scopes = place.found.offered.filter((scope) => form.get(wantedField(scope)) === "on");
    const reason = form.get("reason") ?? "";
    const refuse = (problem: Attempt["problem"]) =>
      sendPage({ request, reply, ...post }, place, { problem, reason, chosen: scopes });
    // None at all is for everything missing in the API, and nobody's wish here.
    if (scopes.length === 0) return await refuse("nothing_chosen");
    const by = { user, clientId: null, grantId: null, requestId: request.id };
    try {
      await ask({ ...by, wanted: place.wanted, scopes, reason }, { store, directories, now: context.now() });
    } catch (error) {
      if (!(error instanceof AskError)) throw error;
      return await refuse(error.code);
    }
    return await reply.redirect(requestsHref, 303);
  });

  app.post(paths.withdrawAccess, async (request, reply) => {
    const post = await forms.readOwnPost(request, accessForm);
    const id = post?.form.get("id");
    if (post !== undefined && isUuid(id)) {
      const by = { userId: post.user.id, clientId: null, requestId: request.id, now: context.now() };
      await withdraw({ id, ...by }, store);
    }
    return await reply.redirect(requestsHref, 303);
  });
}
