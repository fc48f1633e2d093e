import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { setPageHeaders } from "../http/security-headers.js";
import type { OauthContext } from "../oauth/context.js";
import { parseQuery, readParameters } from "../oauth/parameters.js";
import { paths } from "../oauth/vocabulary.js";
import { type ProblemPage, renderProblemPage } from "../pages/problem-page.js";
import { renderSignInPage } from "../pages/sign-in-page.js";
import type { IdentityProvider } from "../store/providers.js";
import { beginSignIn } from "./begin-sign-in.js";
import { completeSignIn } from "./complete-sign-in.js";
import { describeCauses, SignInError } from "./sign-in-error.js";
import { continueHref, readSignInLink, type SignInLink, signInHref } from "./sign-in-link.js";

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type Problem = Omit<ProblemPage, "installationName">;

const noProvider: Problem = {
  title: "Nobody can sign in yet",
  paragraphs: [
    "No sign-in provider is set up here.",
    "An administrator has to register your company's OpenID provider.",
  ],
};

const overdue: Problem = {
  title: "This sign-in is over",
  paragraphs: [
    "It was completed already, it took longer than ten minutes, or it was started in another browser.",
    "Start again. If it happens every time, allow cookies for this address.",
  ],
  action: { href: paths.home, label: "Start again" },
};

/** Mounts sign-in at the company's providers, and the way back. */
export function registerSignIn(app: FastifyInstance, context: OauthContext): void {
  const { store, upstream, cookies } = context;

  app.get(paths.signIn, async (request, reply) => {
    const link = readLink(request);
    const providers = await store.providers.listEnabled();
    const [only] = providers;
    if (only === undefined) return await sendProblem(reply, context, noProvider);
    if (providers.length === 1) return await start(only, link, { request, reply });
    const { installationName } = await store.settings.get();
    const choices = providers.map(({ key, name }) => ({
      name,
      href: signInHref(link, key),
    }));
    return await setPageHeaders(reply).send(renderSignInPage({ installationName, choices }));
  });

  app.get(paths.signInStart, async (request, reply) => {
    const key = readParameters(() => parseQuery(request.url))?.get("provider");
    const provider = key === undefined ? undefined : await store.providers.findByKey(key);
    if (provider === undefined || !provider.enabled) return await reply.redirect(paths.signIn, 303);
    return await start(provider, readLink(request), { request, reply });
  });

  app.get(paths.signInCallback, async (request, reply) => {
    const state = readParameters(() => parseQuery(request.url))?.get("state");
    const browserSecret = cookies.readSecret(request);
    const browser = await cookies.readBrowser(request);
    if (state === undefined || browserSecret === undefined || browser === undefined) {
      return await sendProblem(reply, context, overdue);
    }
    const query = request.url.slice(request.url.indexOf("?") + 1);
    const userAgent = request.headers["user-agent"]?.slice(0, 512) ?? null;
    const input = { query, state, browserSecret, browser, userAgent, requestId: request.id };
    const result = await completeSignIn(input, { store, upstream, now: context.now() });
    if (result.kind === "overdue") return await sendProblem(reply, context, overdue);
    const { authorizationRequestId, returnTo } = result.attempt;
    const pending = { request: authorizationRequestId ?? undefined, returnTo: returnTo ?? undefined };
    if (result.kind === "refused") {
      return await refuse(result.error, { ...pending, prompt: "select_account" }, { request, reply });
    }
    cookies.writeSession(reply, result.sessionToken);
    return await reply.redirect(continueHref(pending), 303);
  });

  async function start(provider: IdentityProvider, link: SignInLink, { request, reply }: Exchange) {
    const { secret } = await cookies.ensureBrowser(request, reply);
    try {
      const input = { provider, browserSecret: secret, link };
      const url = await beginSignIn(input, { store, upstream, now: context.now() });
      return await reply.redirect(url.href, 303);
    } catch (error) {
      if (!(error instanceof SignInError)) throw error;
      return await refuse(error, link, { request, reply });
    }
  }

  async function refuse(error: SignInError, link: SignInLink, { request, reply }: Exchange) {
    request.log.warn({ reason: error.reason, causes: describeCauses(error) }, "sign-in refused");
    const again = { href: signInHref(link), label: "Try again" };
    const status = error.reason === "provider_unreachable" ? 503 : 403;
    const problem = {
      title: "You are not signed in",
      paragraphs: [error.message],
      code: error.reason,
      action: again,
    };
    return await sendProblem(reply.code(status), context, problem);
  }
}

function readLink(request: FastifyRequest): SignInLink {
  return readSignInLink(readParameters(() => parseQuery(request.url)));
}

async function sendProblem(
  reply: FastifyReply,
  { store }: OauthContext,
  problem: Problem,
): Promise<FastifyReply> {
  const { installationName } = await store.settings.get();
  if (reply.statusCode === 200) void reply.code(400);
  return await setPageHeaders(reply).send(renderProblemPage({ installationName, ...problem }));
}
