import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { setPageHeaders } from "../http/security-headers.js";
import { csrfToken, isCsrfToken, isOwnForm } from "../login/browser.js";
import { signOut } from "../login/sign-out.js";
import type { OauthContext } from "../oauth/context.js";
import { parseForm, readParameters } from "../oauth/parameters.js";
import { paths } from "../oauth/vocabulary.js";
import { renderHomePage, renderSignOutPage } from "../pages/home-page.js";
import { renderWelcomePage } from "../pages/sign-in-page.js";
import type { BrowserSession } from "../store/browser-sessions.js";
import type { User } from "../store/users.js";
import { loadDevices } from "./devices.js";

/** Who is signed in in a browser. */
interface SignedIn {
  readonly session: BrowserSession;
  readonly user: User;
}

/** Mounts the employee's own page, and signing out. */
export function registerAccount(app: FastifyInstance, context: OauthContext): void {
  const { store, issuer, cookies } = context;
  const csrfOf = ({ session }: SignedIn) => csrfToken(context.config.sessionSecret, session, "sign-out");

  async function readSignedIn(request: FastifyRequest): Promise<SignedIn | undefined> {
    const session = await cookies.readSession(request);
    const user = session && (await store.users.find(session.userId));
    return session && user?.enabled ? { session, user } : undefined;
  }

  async function sendWelcome(reply: FastifyReply, signedOut: boolean): Promise<FastifyReply> {
    const { installationName } = await store.settings.get();
    return await setPageHeaders(reply).send(
      renderWelcomePage({ installationName, signedOut, signInHref: paths.signIn }),
    );
  }

  app.get(paths.home, async (request, reply) => {
    const signedIn = await readSignedIn(request);
    if (signedIn === undefined) return await sendWelcome(reply, false);
    const { user } = signedIn;
    const { installationName } = await store.settings.get();
    const devices = await loadDevices(store, { userId: user.id, now: context.now() });
    return await setPageHeaders(reply).send(
      renderHomePage({ installationName, user, devices, csrfToken: csrfOf(signedIn) }),
    );
  });

  // Clients send browsers here (OpenID RP-Initiated Logout), so a person confirms: any page could be a client.
  const confirm = async (request: FastifyRequest, reply: FastifyReply) => {
    const signedIn = await readSignedIn(request);
    if (signedIn === undefined) return await sendWelcome(reply, true);
    const { installationName } = await store.settings.get();
    const page = renderSignOutPage({ installationName, user: signedIn.user, csrfToken: csrfOf(signedIn) });
    return await setPageHeaders(reply).send(page);
  };

  app.get(paths.signOut, confirm);
  app.post(paths.signOut, async (request, reply) => {
    const form = readParameters(() =>
      parseForm(request.headers["content-type"], request.body as Buffer | undefined),
    );
    const signedIn = await readSignedIn(request);
    const ownForm =
      signedIn !== undefined &&
      isOwnForm(request.headers, issuer) &&
      isCsrfToken(form?.get("csrf"), csrfOf(signedIn));
    if (!ownForm) return await confirm(request, reply);
    await signOut(signedIn.session, { store, now: context.now(), requestId: request.id });
    cookies.clearSession(reply);
    return await reply.redirect(paths.signOut, 303);
  });
}
