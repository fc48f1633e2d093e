import { installGuideFor } from "@authz/agent-tools/hosts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { connectionsForm } from "../../connectors/connection-pages.js";
import { cleanDeviceName } from "../../oauth/grants/issue-tokens.js";
import { renderSignedOutAppsPage, renderSignOutAppsPage } from "../../pages/apps-section.js";
import { loadFrame } from "../../pages/frame.js";
import { renderHomePage, renderSignOutPage } from "../../pages/home-page.js";
import { sendDeadEnd } from "../../pages/problem-page.js";
import { renderWelcomePage } from "../../pages/sign-in-page.js";
import { renderSkillPage } from "../../pages/skill-page.js";
import { loadPermissions } from "../../permissions/load-permissions.js";
import { loadAuthority } from "../../permissions/roles.js";
import { type Exchange, setPageHeaders } from "../../platform/http/security-headers.js";
import { isUuid } from "../../protocol/parameters.js";
import { paths } from "../../protocol/vocabulary.js";
import { createOwnForms, type OwnForms } from "../../sign-in/browser.js";
import type { PageContext } from "../../sign-in/page-context.js";
import { revokeSessions, signOut } from "../../lifecycle/revoke.js";
import { signInHref } from "../../sign-in/sign-in-link.js";
import { findVisibleSkill } from "../../skills/visible-skills.js";
import { loginScope } from "../../store/system-scopes.js";
import { requireVisible, SkillMissing } from "../skills.js";
import { accessForm, registerAccess } from "./access/routes.js";
import { registerApprovals } from "./approvals/routes.js";
import { loadWaitingApprovals } from "./approvals/waiting-approvals.js";
import { endAllApps, endApp, loadApps } from "./apps.js";
import { loadBrowsers } from "./browsers.js";
import { loadStops, registerStops } from "./stops/routes.js";
import {
  loadAgentsSection,
  loadConnections,
  loadPeopleToAsk,
  loadPermissionsSection,
  loadRequests,
  loadSkillsSection,
  takesAgents,
} from "./sections.js";

/** The name that the forms of the page are bound to. */
const accountForm = "account";

/** Mounts the employee's own page, the skills they can read there, and the ways to sign out. */
export function registerAccount(app: FastifyInstance, context: PageContext): void {
  const { store, issuer, cookies } = context;
  const { sessionSecret } = context.config;
  const forms = createOwnForms({ store, cookies, issuer, sessionSecret });
  registerHome(app, context, forms);
  registerAccess(app, context);
  registerApprovals(app, context);
  registerSkillPage(app, context, forms);
  registerApps(app, context, forms);
  registerStops(app, context, { forms, formName: accountForm });
  registerSignOut(app, context, forms);
}

function registerHome(app: FastifyInstance, context: PageContext, forms: OwnForms): void {
  const { store, directories, issuer, rateLimiter } = context;

  app.get(paths.home, async (request, reply) => {
    const signedIn = await forms.readSignedIn(request);
    if (signedIn === undefined) {
      const isEmpty = (await store.installation.state()) === "empty";
      if (isEmpty) return await reply.redirect(paths.setUp, 303);
      return await sendWelcome({ request, reply }, { signedOut: false, context });
    }
    const { session, user } = signedIn;
    await rateLimiter.take("skills.person", user.id);
    const now = context.now();
    const frame = await loadFrame(request, store);
    const { installationName = "" } = frame;
    const permissions = await loadPermissions(user, { store, directories });
    const page = renderHomePage(
      {
        issuer,
        user,
        administers: (await loadAuthority(user, { store, directories })).roles.size > 0,
        permissions: await loadPermissionsSection(permissions, store),
        approvals: await loadWaitingApprovals(user, { store, directories, now }),
        requests: {
          items: await loadRequests(user.id, store),
          csrfToken: forms.csrfOf(signedIn, accessForm),
        },
        askForLogin: await loadPeopleToAsk(loginScope, permissions, store),
        agents: await loadAgentsSection(permissions, { store, issuer }),
        skills: await loadSkillsSection(permissions, { store, installationName, now }),
        connections: {
          items: await loadConnections(permissions, store),
          csrfToken: forms.csrfOf(signedIn, connectionsForm),
        },
        apps: await loadApps(store, { userId: user.id, now }),
        stops: await loadStops(user.id, store),
        browsers: await loadBrowsers(store, { session, now }),
        csrfToken: forms.csrfOf(signedIn, accountForm),
      },
      frame,
    );
    return await setPageHeaders(reply, { script: true }).send(page);
  });

  // What people guess.
  app.get(paths.account, async (_request, reply) => await reply.redirect(paths.home, 303));

  // For the agent of a person who need not be signed in yet: it has nothing secret.
  app.get(paths.installGuide, async (_request, reply) => {
    if (!(await takesAgents(issuer, store))) return reply.callNotFound();
    const { installationName } = await store.settings.get();
    return await reply
      .header("cache-control", "public, max-age=300")
      .type("text/markdown; charset=utf-8")
      .send(installGuideFor({ issuer, installationName }));
  });
}

async function sendWelcome(
  { request, reply }: Exchange,
  { signedOut, context: { store } }: { readonly signedOut: boolean; readonly context: PageContext },
): Promise<FastifyReply> {
  const frame = await loadFrame(request, store);
  const page = renderWelcomePage({ signedOut, signInHref: signInHref({}) }, frame);
  return await setPageHeaders(reply).send(page);
}

function registerSkillPage(app: FastifyInstance, context: PageContext, forms: OwnForms): void {
  const { store, directories, rateLimiter } = context;

  app.get<{ Params: { id: string } }>(`${paths.skills}/:id`, async (request, reply) => {
    const { id } = request.params;
    const signedIn = await forms.readSignedIn(request);
    if (signedIn === undefined) {
      return await reply.redirect(signInHref({ returnTo: `${paths.skills}/${id}` }), 303);
    }
    await rateLimiter.take("skills.person", signedIn.user.id);
    const frame = await loadFrame(request, store);
    const permissions = await loadPermissions(signedIn.user, { store, directories });
    try {
      const found = await findVisibleSkill(id, store, permissions);
      const visible = await requireVisible(found, { id, permissions, now: context.now() }, store);
      const { skill, publisherName, lacks } = visible;
      const { title, description, requiredScopes, content, files = [] } = skill;
      const page = { title, description, publisherName, requiredScopes, lacks, content, files };
      return await setPageHeaders(reply).send(renderSkillPage(page, frame));
    } catch (error) {
      if (!(error instanceof SkillMissing)) throw error;
      const path = error.gap === undefined ? "pages.skill.missing" : "pages.skill.unread";
      const action = { href: paths.home, label: "pages.problem.startPage" } as const;
      return await sendDeadEnd({ request, reply }, { path, status: 404, action }, store);
    }
  });
}

function registerApps(app: FastifyInstance, context: PageContext, forms: OwnForms): void {
  const { store } = context;

  app.post(paths.endGrant, async (request, reply) => {
    const post = await forms.readOwnPost(request, accountForm);
    const id = post?.form.get("id");
    if (post !== undefined && isUuid(id)) {
      const dependencies = { store, now: context.now(), requestId: request.id };
      await endApp({ id, userId: post.user.id }, dependencies);
    }
    return await reply.redirect(paths.home, 303);
  });

  app.post(paths.renameGrant, async (request, reply) => {
    const post = await forms.readOwnPost(request, accountForm);
    const id = post?.form.get("id");
    if (post !== undefined && isUuid(id)) {
      const deviceName = cleanDeviceName(post.form.get("name") ?? "");
      await store.grants.rename({ id, userId: post.user.id, deviceName });
    }
    return await reply.redirect(paths.home, 303);
  });

  app.get(paths.endGrants, async (request, reply) => {
    const signedIn = await forms.readSignedIn(request);
    const userId = signedIn?.user.id;
    const apps = userId === undefined ? [] : await loadApps(store, { userId, now: context.now() });
    if (signedIn === undefined || apps.length === 0) return await reply.redirect(paths.home, 303);
    const frame = await loadFrame(request, store);
    const page = renderSignOutAppsPage({ apps, csrfToken: forms.csrfOf(signedIn, accountForm) }, frame);
    return await setPageHeaders(reply).send(page);
  });

  app.post(paths.endGrants, async (request, reply) => {
    const post = await forms.readOwnPost(request, accountForm);
    if (post === undefined) return await reply.redirect(paths.home, 303);
    const now = context.now();
    const apps = await loadApps(store, { userId: post.user.id, now });
    await endAllApps(post.user.id, { store, now, requestId: request.id });
    const frame = await loadFrame(request, store);
    return await setPageHeaders(reply).send(renderSignedOutAppsPage(apps, frame));
  });
}

function registerSignOut(app: FastifyInstance, context: PageContext, forms: OwnForms): void {
  const { store, cookies } = context;

  app.post(paths.endSession, async (request, reply) => {
    const post = await forms.readOwnPost(request, accountForm);
    const id = post?.form.get("id");
    if (post !== undefined && isUuid(id)) {
      const { user } = post;
      const actor = { type: "user", id: user.id } as const;
      await revokeSessions({ userId: user.id, sessionId: id }, { store, actor, at: context.now() });
    }
    return await reply.redirect(paths.home, 303);
  });

  // Any page can send a browser here, so a person confirms.
  const confirm = async (request: FastifyRequest, reply: FastifyReply) => {
    const signedIn = await forms.readSignedIn(request);
    if (signedIn === undefined) return await sendWelcome({ request, reply }, { signedOut: true, context });
    const frame = await loadFrame(request, store);
    const csrfToken = forms.csrfOf(signedIn, accountForm);
    const page = renderSignOutPage({ user: signedIn.user, csrfToken }, frame);
    return await setPageHeaders(reply).send(page);
  };

  app.get(paths.signOut, confirm);
  app.post(paths.signOut, async (request, reply) => {
    const post = await forms.readOwnPost(request, accountForm);
    if (post === undefined) return await confirm(request, reply);
    await signOut(post.session, { store, now: context.now(), requestId: request.id });
    cookies.clearSession(reply);
    return await reply.redirect(paths.signOut, 303);
  });
}
