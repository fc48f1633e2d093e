import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { setPageHeaders } from "../http/security-headers.js";
import { csrfToken, isCsrfToken, isOwnForm } from "../login/browser.js";
import { revokeSessions } from "../login/revoke-sessions.js";
import { signInHref } from "../login/sign-in-link.js";
import { signOut } from "../login/sign-out.js";
import type { OauthContext } from "../oauth/context.js";
import { isUuid } from "../oauth/identifiers.js";
import { type Parameters, parseForm, readParameters } from "../oauth/parameters.js";
import { paths } from "../oauth/vocabulary.js";
import { loadFrame } from "../pages/frame.js";
import { renderHomePage, renderSignOutPage } from "../pages/home-page.js";
import { renderProblemPage } from "../pages/problem-page.js";
import { renderWelcomePage } from "../pages/sign-in-page.js";
import { renderSkillPage } from "../pages/skill-page.js";
import { effectiveScopes } from "../policy/effective-scopes.js";
import { loadPermissions } from "../policy/load-permissions.js";
import { administerScope } from "../policy/system-scopes.js";
import type { BrowserSession } from "../store/browser-sessions.js";
import type { User } from "../store/users.js";
import { loadBrowsers } from "./browsers.js";
import { endDevice, loadDevices } from "./devices.js";
import { loadPermissionsSection } from "./permissions.js";
import { findSkill, loadSkillsSection } from "./skills.js";

/** Who is signed in in a browser. */
interface SignedIn {
  readonly session: BrowserSession;
  readonly user: User;
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A form of the employee's page that was posted from that page. */
interface OwnPost extends SignedIn {
  readonly form: Parameters;
}

/** Mounts the employee's own page, the skills they can read there, and the ways out. */
export function registerAccount(app: FastifyInstance, context: OauthContext): void {
  const { store, directories, issuer, cookies } = context;
  const csrfOf = ({ session }: SignedIn) => csrfToken(context.config.sessionSecret, session, "account");

  async function readSignedIn(request: FastifyRequest): Promise<SignedIn | undefined> {
    const session = await cookies.readSession(request);
    const user = session && (await store.users.find(session.userId));
    return session && user?.enabled ? { session, user } : undefined;
  }

  async function readOwnPost(request: FastifyRequest): Promise<OwnPost | undefined> {
    const form = readParameters(() =>
      parseForm(request.headers["content-type"], request.body as Buffer | undefined),
    );
    const signedIn = await readSignedIn(request);
    if (form === undefined || signedIn === undefined || !isOwnForm(request.headers, issuer)) return undefined;
    return isCsrfToken(form.get("csrf"), csrfOf(signedIn)) ? { ...signedIn, form } : undefined;
  }

  async function sendWelcome({ request, reply }: Exchange, signedOut: boolean): Promise<FastifyReply> {
    const frame = await loadFrame(request, store);
    const page = renderWelcomePage({ signedOut, signInHref: signInHref({}) }, frame);
    return await setPageHeaders(reply).send(page);
  }

  app.get(paths.home, async (request, reply) => {
    const signedIn = await readSignedIn(request);
    if (signedIn === undefined) {
      const isEmpty = (await store.installation.state()) === "empty";
      return isEmpty ? await reply.redirect(paths.setUp, 303) : await sendWelcome({ request, reply }, false);
    }
    const { session, user } = signedIn;
    const now = context.now();
    const frame = await loadFrame(request, store);
    const { installationName = "" } = frame;
    const permissions = await loadPermissions(user, { store, directories });
    const page = renderHomePage(
      {
        issuer,
        user,
        administers: effectiveScopes(permissions).has(administerScope),
        permissions: await loadPermissionsSection(permissions, store),
        skills: await loadSkillsSection(permissions, { store, installationName }),
        devices: await loadDevices(store, { userId: user.id, now }),
        browsers: await loadBrowsers(store, { session, now }),
        csrfToken: csrfOf(signedIn),
      },
      frame,
    );
    return await setPageHeaders(reply).send(page);
  });

  // What people guess.
  app.get(paths.account, async (_request, reply) => await reply.redirect(paths.home, 303));

  app.get<{ Params: { id: string } }>(`${paths.skills}/:id`, async (request, reply) => {
    const { id } = request.params;
    const signedIn = await readSignedIn(request);
    if (signedIn === undefined) {
      return await reply.redirect(signInHref({ returnTo: `${paths.skills}/${id}` }), 303);
    }
    const frame = await loadFrame(request, store);
    const permissions = await loadPermissions(signedIn.user, { store, directories });
    const found = await findSkill(id, permissions, store);
    if (found === undefined) {
      const { skill, problem } = frame.texts;
      const action = { href: paths.home, label: problem.startPage };
      const page = renderProblemPage({ ...skill.missing, action }, frame);
      return await setPageHeaders(reply).code(404).send(page);
    }
    const { skill, publisherName, lacks } = found;
    const { title, description, requiredScopes, content } = skill;
    const page = { title, description, publisherName, requiredScopes, lacks, content };
    return await setPageHeaders(reply).send(renderSkillPage(page, frame));
  });

  app.post(paths.endLogIn, async (request, reply) => {
    const post = await readOwnPost(request);
    const id = post?.form.get("id");
    if (post !== undefined && isUuid(id)) {
      const dependencies = { store, now: context.now(), requestId: request.id };
      await endDevice({ id, userId: post.user.id }, dependencies);
    }
    return await reply.redirect(paths.home, 303);
  });

  app.post(paths.endSession, async (request, reply) => {
    const post = await readOwnPost(request);
    const id = post?.form.get("id");
    if (post !== undefined && isUuid(id)) {
      const { user } = post;
      const actor = { type: "user", id: user.id } as const;
      await revokeSessions({ userId: user.id, sessionId: id }, { store, actor, at: context.now() });
    }
    return await reply.redirect(paths.home, 303);
  });

  // Clients send browsers here (OpenID RP-Initiated Logout), so a person confirms: any page could be a client.
  const confirm = async (request: FastifyRequest, reply: FastifyReply) => {
    const signedIn = await readSignedIn(request);
    if (signedIn === undefined) return await sendWelcome({ request, reply }, true);
    const frame = await loadFrame(request, store);
    const page = renderSignOutPage({ user: signedIn.user, csrfToken: csrfOf(signedIn) }, frame);
    return await setPageHeaders(reply).send(page);
  };

  app.get(paths.signOut, confirm);
  app.post(paths.signOut, async (request, reply) => {
    const post = await readOwnPost(request);
    if (post === undefined) return await confirm(request, reply);
    await signOut(post.session, { store, now: context.now(), requestId: request.id });
    cookies.clearSession(reply);
    return await reply.redirect(paths.signOut, 303);
  });
}
