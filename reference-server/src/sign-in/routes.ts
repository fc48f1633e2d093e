import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { loadFrame, readLanguage } from "../pages/frame.js";
import { describeDeadEnd, renderProblemPage } from "../pages/problem-page.js";
import { renderSignInPage } from "../pages/sign-in-page.js";
import { setPageHeaders } from "../platform/http/security-headers.js";
import { parseQuery, readParameters } from "../protocol/parameters.js";
import { paths } from "../protocol/vocabulary.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import { beginSignIn, completeSignIn } from "./sign-in.js";
import type { PageContext } from "./page-context.js";
import { describeCauses, SignInError } from "./identity.js";
import { continueHref, readSignInLink, type SignInLink, signInHref } from "./sign-in-link.js";

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A browser that comes back from a provider. */
interface ProviderReturn {
  readonly state: string;
  /** As received. */
  readonly query: string;
  /** What the path ended with that it came back to. */
  readonly callbackKey: string | undefined;
}

/**
 * Answers a browser that comes back from a provider where it was for something else than to sign in here, such as a set-up, and says
 * whether that is what it did.
 *
 * Not with the reply: one can be awaited, and is nothing afterwards.
 */
export type AnswerReturn = (exchange: Exchange, back: ProviderReturn) => Promise<boolean>;

interface Refusal {
  readonly error: SignInError;
  readonly provider: IdentityProvider;
  /** With which the person tries again. */
  readonly link: SignInLink;
}

/** Mounts sign-in at the company's providers, and the way back. */
export function registerSignIn(
  app: FastifyInstance,
  context: PageContext,
  others: readonly AnswerReturn[],
): void {
  const { store, relyingParty, cookies } = context;

  app.get(paths.signIn, async (request, reply) => {
    const link = readLink(request);
    const providers = await store.identityProviders.listEnabled();
    const [only] = providers;
    if (only === undefined) return await sendNobodyYet({ request, reply });
    if (providers.length === 1) return await start(only, link, { request, reply });
    const choices = providers.map(({ key, name, buttonLabel }) => ({
      name: buttonLabel ?? name,
      href: signInHref(link, key),
    }));
    const page = renderSignInPage(choices, await loadFrame(request, store));
    return await setPageHeaders(reply).send(page);
  });

  app.get(paths.signInStart, async (request, reply) => {
    const key = readParameters(() => parseQuery(request.url))?.get("provider");
    const provider = key === undefined ? undefined : await store.identityProviders.findByKey(key);
    if (provider === undefined || !provider.enabled) return await reply.redirect(paths.signIn, 303);
    return await start(provider, readLink(request), { request, reply });
  });

  const answerOthers: AnswerReturn = async (exchange, back) => {
    for (const answer of others) {
      // oxlint-disable-next-line no-await-in-loop -- the first one whose it is
      if (await answer(exchange, back)) return true;
    }
    return false;
  };

  const comeBack = async (request: FastifyRequest, reply: FastifyReply) => {
    const { key: callbackKey } = request.params as { readonly key?: string };
    const state = readParameters(() => parseQuery(request.url))?.get("state");
    const query = request.url.slice(request.url.indexOf("?") + 1);
    if (state !== undefined && (await answerOthers({ request, reply }, { state, query, callbackKey })))
      return reply;
    const browserSecret = cookies.readSecret(request);
    const browser = await cookies.readBrowser(request);
    if (state === undefined || browserSecret === undefined || browser === undefined) {
      return await sendOver({ request, reply });
    }
    const userAgent = request.headers["user-agent"]?.slice(0, 512) ?? null;
    const language = readLanguage(request.headers["accept-language"]);
    const seen = { browserSecret, browser, userAgent, language };
    const input = { query, state, callbackKey, ...seen, requestId: request.id };
    const refusals = context.refusals.from(app.addressOf(request));
    const result = await completeSignIn(input, { store, refusals, relyingParty, now: context.now() });
    if (result.kind === "overdue") return await sendOver({ request, reply });
    const { authorizationRequestId, returnTo } = result.attempt;
    const pending = { request: authorizationRequestId ?? undefined, returnTo: returnTo ?? undefined };
    if (result.kind === "refused") {
      const { error, provider } = result;
      const link: SignInLink = { ...pending, prompt: "select_account" };
      return await refuse({ error, provider, link }, { request, reply });
    }
    cookies.writeSession(reply, result.sessionToken);
    return await reply.redirect(continueHref(pending), 303);
  };
  app.get(paths.signInCallback, comeBack);
  app.get(`${paths.signInCallback}/:key`, comeBack);

  async function start(provider: IdentityProvider, link: SignInLink, { request, reply }: Exchange) {
    const { secret } = await cookies.ensureBrowser(request, reply);
    try {
      const input = { provider, browserSecret: secret, link };
      const url = await beginSignIn(input, { store, relyingParty, now: context.now() });
      return await reply.redirect(url === undefined ? paths.signIn : url.href, 303);
    } catch (error) {
      if (!(error instanceof SignInError)) throw error;
      return await refuse({ error, provider, link }, { request, reply });
    }
  }

  async function refuse({ error, provider, link }: Refusal, { request, reply }: Exchange) {
    const { reason } = error;
    request.log.warn({ code: "SIGN_IN_REFUSED", reason, causes: describeCauses(error) }, "sign-in refused");
    const frame = await loadFrame(request, store);
    const { text } = frame.texts;
    const problem = {
      title: text("pages.signIn.refused"),
      paragraphs: [text(`pages.signIn.refusals.${reason}`, { provider: provider.name })],
      code: reason,
      action: { href: signInHref(link), label: text("pages.signIn.tryAgain") },
    };
    const isAway = reason === "provider_unreachable";
    if (isAway) void reply.header("retry-after", "5");
    return await setPageHeaders(reply.code(isAway ? 503 : 403)).send(renderProblemPage(problem, frame));
  }

  async function sendNobodyYet({ request, reply }: Exchange) {
    if ((await store.installation.state()) === "empty") return await reply.redirect(paths.setUp, 303);
    const frame = await loadFrame(request, store);
    const page = renderProblemPage(describeDeadEnd("pages.signIn.nobodyYet", frame.texts), frame);
    return await setPageHeaders(reply.code(400)).send(page);
  }

  async function sendOver({ request, reply }: Exchange) {
    const frame = await loadFrame(request, store);
    const words = describeDeadEnd("pages.signIn.over", frame.texts);
    const action = { href: paths.home, label: frame.texts.text("pages.signIn.startAgain") };
    const page = renderProblemPage({ ...words, action }, frame);
    return await setPageHeaders(reply.code(400)).send(page);
  }
}

function readLink(request: FastifyRequest): SignInLink {
  return readSignInLink(readParameters(() => parseQuery(request.url)));
}
