import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { loadFrame, readLanguage } from "../pages/frame.js";
import { renderProblemPage, sendDeadEnd } from "../pages/problem-page.js";
import { renderSignInPage } from "../pages/sign-in-page.js";
import { type Exchange, setPageHeaders } from "../platform/http/security-headers.js";
import { readQuery } from "../protocol/parameters.js";
import { paths } from "../protocol/vocabulary.js";
import type { IdentityProvider } from "../store/identity-providers.js";
import { describeCauses, SignInError } from "./identity.js";
import type { PageContext } from "./page-context.js";
import { beginSignIn, completeSignIn } from "./sign-in.js";
import { continueHref, readSignInLink, type SignInLink, signInHref } from "./sign-in-link.js";

/** A browser that comes back from a provider. */
interface ProviderReturn {
  readonly state: string;
  /** As received. */
  readonly query: string;
  /** The last segment of the callback's path: the key of a provider with a callback of its own. */
  readonly callbackKey: string | undefined;
}

/**
 * Answers a browser that comes back from a provider for another purpose than a sign-in, such as set-up. Returns whether it answered.
 *
 * The result is not the reply: a reply is a thenable, and awaiting it gives `undefined`.
 */
export type AnswerReturn = (exchange: Exchange, back: ProviderReturn) => Promise<boolean>;

interface Refusal {
  readonly error: SignInError;
  readonly provider: IdentityProvider;
  /** For trying again. */
  readonly link: SignInLink;
}

/** Mounts sign-in at the company's providers, and its callback. */
export function registerSignIn(
  app: FastifyInstance,
  context: PageContext,
  others: readonly AnswerReturn[],
): void {
  const { store, cookies } = context;

  app.get(paths.signIn, async (request, reply) => {
    const link = readSignInLink(readQuery(request));
    const providers = await store.identityProviders.listEnabled();
    const [only] = providers;
    if (only === undefined) return await sendNoProvider({ request, reply }, context);
    if (providers.length === 1) return await start({ provider: only, link }, { request, reply }, context);
    const choices = providers.map(({ key, name, buttonLabel }) => ({
      name: buttonLabel ?? name,
      href: signInHref(link, key),
    }));
    const page = renderSignInPage(choices, await loadFrame(request, store));
    return await setPageHeaders(reply).send(page);
  });

  app.get(paths.signInStart, async (request, reply) => {
    const query = readQuery(request);
    const key = query?.get("provider");
    const provider = key === undefined ? undefined : await store.identityProviders.findByKey(key);
    if (provider === undefined || !provider.enabled) return await reply.redirect(paths.signIn, 303);
    return await start({ provider, link: readSignInLink(query) }, { request, reply }, context);
  });

  const callback = async (request: FastifyRequest, reply: FastifyReply) => {
    const { key: callbackKey } = request.params as { readonly key?: string };
    const state = readQuery(request)?.get("state");
    if (state === undefined) return await sendOver({ request, reply }, context);
    const back = { state, query: request.url.slice(request.url.indexOf("?") + 1), callbackKey };
    for (const answer of others) {
      if (await answer({ request, reply }, back)) return reply;
    }
    const browserSecret = cookies.readSecret(request);
    const browser = await cookies.readBrowser(request);
    if (browserSecret === undefined || browser === undefined)
      return await sendOver({ request, reply }, context);
    const userAgent = request.headers["user-agent"]?.slice(0, 512) ?? null;
    const language = readLanguage(request.headers["accept-language"]);
    const input = { ...back, browserSecret, browser, userAgent, language, requestId: request.id };
    return await finish(input, { request, reply }, { ...context, addressOf: app.addressOf });
  };
  app.get(paths.signInCallback, callback);
  app.get(`${paths.signInCallback}/:key`, callback);
}

async function finish(
  input: Parameters<typeof completeSignIn>[0],
  { request, reply }: Exchange,
  context: PageContext & Pick<FastifyInstance, "addressOf">,
): Promise<FastifyReply> {
  const { store, relyingParty, credentials, cookies } = context;
  const refusals = context.refusals.from(context.addressOf(request));
  const result = await completeSignIn(input, {
    store,
    refusals,
    relyingParty,
    credentials,
    now: context.now(),
  });
  if (result.kind === "overdue") return await sendOver({ request, reply }, context);
  const { authorizationRequestId, returnTo } = result.attempt;
  const pending = { request: authorizationRequestId ?? undefined, returnTo: returnTo ?? undefined };
  if (result.kind === "refused") {
    const { error, provider } = result;
    const link: SignInLink = { ...pending, prompt: "select_account" };
    return await refuse({ error, provider, link }, { request, reply }, context);
  }
  cookies.writeSession(reply, result.sessionToken);
  return await reply.redirect(continueHref(pending), 303);
}

async function start(
  { provider, link }: Omit<Refusal, "error">,
  { request, reply }: Exchange,
  context: PageContext,
): Promise<FastifyReply> {
  const { store, relyingParty, cookies } = context;
  const { secret } = await cookies.ensureBrowser(request, reply);
  try {
    const input = { provider, browserSecret: secret, link };
    const url = await beginSignIn(input, { store, relyingParty, now: context.now() });
    return await reply.redirect(url === undefined ? paths.signIn : url.href, 303);
  } catch (error) {
    if (!(error instanceof SignInError)) throw error;
    return await refuse({ error, provider, link }, { request, reply }, context);
  }
}

async function refuse(
  { error, provider, link }: Refusal,
  { request, reply }: Exchange,
  { store }: PageContext,
): Promise<FastifyReply> {
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

async function sendNoProvider(exchange: Exchange, { store }: PageContext): Promise<FastifyReply> {
  if ((await store.installation.state()) === "empty") return await exchange.reply.redirect(paths.setUp, 303);
  return await sendDeadEnd(exchange, { path: "pages.signIn.nobodyYet", status: 400 }, store);
}

async function sendOver(exchange: Exchange, { store }: PageContext): Promise<FastifyReply> {
  const action = { href: paths.home, label: "pages.signIn.startAgain" } as const;
  return await sendDeadEnd(exchange, { path: "pages.signIn.over", status: 400, action }, store);
}
