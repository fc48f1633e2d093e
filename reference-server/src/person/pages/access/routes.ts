import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type AccessPage, type HeldScope, renderAccessPage } from "../../../pages/access-page.js";
import { wantedField } from "../../../pages/ask-section.js";
import { loadFrame } from "../../../pages/frame.js";
import { sendDeadEnd } from "../../../pages/problem-page.js";
import type { GrantedScope } from "../../../permissions/decide.js";
import type { Permissions } from "../../../permissions/effective-scopes.js";
import { loadPermissions } from "../../../permissions/load-permissions.js";
import { setPageHeaders } from "../../../platform/http/security-headers.js";
import { isUuid, type Parameters, readQuery } from "../../../protocol/parameters.js";
import { paths } from "../../../protocol/vocabulary.js";
import { createOwnForms, type SignedIn } from "../../../sign-in/browser.js";
import type { PageContext } from "../../../sign-in/page-context.js";
import { signInHref } from "../../../sign-in/sign-in-link.js";
import type { Store } from "../../../store/store.js";
import {
  type AccessStatus,
  ask,
  AskError,
  isRequestable,
  loadAccessStatus,
  type Requestable,
  requestableAt,
  requestableLogin,
  requestableThrough,
} from "../../access-requests/ask.js";
import { withdraw } from "../../access-requests/decide.js";
import { lastEnd } from "../sections.js";

/** The name that the forms for requesting access and withdrawing are bound to. */
export const accessForm = "access";

/** Where a person's requests are on their own page. */
const requestsHref = `${paths.home}#requests`;

/** A target that a page or a form names: a service, a connector, or, without either, this installation itself. */
interface PageTarget {
  /** The fields by which the page and its form name it. */
  readonly named: Readonly<Record<string, string>>;
  readonly at: Requestable;
  /** `undefined`: this installation itself. */
  readonly name: string | undefined;
}

/** A form that was not accepted. */
interface Attempt {
  readonly problem: AskError["code"] | "nothing_chosen";
  readonly reason: string;
  readonly chosen: readonly string[];
}

interface Visit extends SignedIn {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Mounts the page that says what a person may do at a target and why, with the form to ask for the rest. */
export function registerAccess(app: FastifyInstance, context: PageContext): void {
  const { store, directories, issuer, cookies, rateLimiter } = context;
  const { sessionSecret } = context.config;
  const forms = createOwnForms({ store, cookies, issuer, sessionSecret });

  async function sendPage(visit: Visit, target: PageTarget, attempt?: Attempt): Promise<FastifyReply> {
    const { request, reply, session, user } = visit;
    const frame = await loadFrame(request, store);
    const permissions = await loadPermissions(user, { store, directories });
    const { requestable, open, ...page } = await loadAccess(target, permissions, store);
    // Nothing is ticked for the person: a request names what they need, not everything there is.
    const { chosen = [], reason = "", problem } = attempt ?? {};
    const csrfToken = forms.csrfOf({ session, user }, accessForm);
    const form = {
      action: paths.access,
      hidden: { csrf: csrfToken, ...target.named },
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
    const query = readQuery(request);
    const target = query && (await findTarget(query, store));
    if (target === undefined) return await sendNowhere(request, reply);
    return await sendPage({ request, reply, ...signedIn }, target);
  });

  app.post(paths.access, async (request, reply) => {
    const post = await forms.readOwnPost(request, accessForm);
    if (post === undefined) return await reply.redirect(paths.home, 303);
    const { form, user } = post;
    await rateLimiter.take("ask.person", user.id);
    const target = await findTarget(form, store);
    if (target === undefined) return await sendNowhere(request, reply);
    const { at } = target;
    const scopes = at.offered.filter((scope) => form.get(wantedField(scope)) === "on");
    const reason = form.get("reason") ?? "";
    const refuse = (problem: Attempt["problem"]) =>
      sendPage({ request, reply, ...post }, target, { problem, reason, chosen: scopes });
    // In the API no scopes mean everything that is missing; on a form they are a mistake.
    if (scopes.length === 0) return await refuse("nothing_chosen");
    const by = { user, clientId: null, grantId: null, requestId: request.id };
    try {
      await ask({ ...by, at, scopes, reason }, { store, directories, now: context.now() });
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

/** `undefined`: there is no such target, or it is disabled. */
async function findTarget(
  parameters: Parameters,
  { connectors, resources }: Pick<Store, "connectors" | "resources">,
): Promise<PageTarget | undefined> {
  const service = parameters.get("service");
  const connector = parameters.get("connector");
  if (service !== undefined) {
    const resource = await resources.findByKey(service);
    // What agents use at this server itself is requested at the installation.
    const at = resource?.builtIn === true ? undefined : requestableAt(resource);
    return at && { named: { service }, at, name: resource?.name };
  }
  if (connector !== undefined) {
    const known = await connectors.findByKey(connector);
    const at = requestableThrough(known);
    return at && { named: { connector }, at, name: known?.name };
  }
  return { named: {}, at: requestableLogin, name: undefined };
}

/** Loads what the page says about a target, without its form. */
async function loadAccess(
  { at, name }: PageTarget,
  permissions: Permissions,
  store: Pick<Store, "accessRequests" | "scopes">,
): Promise<Omit<AccessPage, "form" | "csrfToken"> & Pick<AccessStatus, "requestable" | "open">> {
  const { granted, missing, requestable, open, last } = await loadAccessStatus({ permissions, at }, store);
  const stuck = missing.filter((scope) => !isRequestable(scope));
  const keys = [...granted, ...stuck].map(({ scope }) => scope);
  const words = new Map((await store.scopes.findAll(keys)).map(({ key, description }) => [key, description]));
  const worded = (key: string) => ({ key, description: words.get(key) ?? key });
  return {
    name,
    last,
    requestable,
    open,
    held: granted.map((grant) => ({ ...worded(grant.scope), ...describeGrant(grant) })),
    stuck: stuck.map(({ scope, reason }) => ({
      ...worded(scope),
      reason: reason === "directory_unavailable" ? reason : "other",
    })),
  };
}

/** Groups are named only if no address has the scope: a person who has it by both keeps it when they leave the group. */
function describeGrant({ by }: GrantedScope): Pick<HeldScope, "groups" | "until"> {
  const groups = by.flatMap((rule) =>
    rule.type === "group" ? [{ key: rule.group.key, provider: rule.group.provider.name }] : [],
  );
  return { groups: groups.length < by.length ? [] : groups, until: lastEnd(by) };
}
