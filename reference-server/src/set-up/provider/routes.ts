import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Exchange, setPageHeaders } from "../../platform/http/security-headers.js";
import type { AnswerReturn } from "../../sign-in/routes.js";
import type { PageContext } from "../../sign-in/page-context.js";
import { createSecret } from "../../protocol/secrets.js";
import { lifetimes, paths } from "../../protocol/vocabulary.js";
import { loadFrame, readLanguage } from "../../pages/frame.js";
import { renderDonePage, renderLeavingPage } from "../pages.js";
import { decideAdministrator, SignInFault, type TestResult } from "../../registry/probes/sign-in-checks.js";
import type { ProvidedIdentity } from "../../sign-in/identity.js";
import type { KnownBrowser, OwnPost, SetUpAttempt, SetUpBrowser } from "../draft.js";
import type { Installation } from "../installation.js";
import { createSignInProbe } from "../../registry/probes/probe-sign-in.js";

export interface ProviderSteps {
  readonly browsers: SetUpBrowser;
  isClosed(): Promise<boolean>;
  sendClosed(exchange: Exchange): Promise<FastifyReply>;
  /** What a form was posted with; `undefined` when the post does not count, and was answered. */
  readPost(exchange: Exchange): Promise<OwnPost | undefined>;
}

/** Mounts the two ways to the provider, the test and the completion. What it returns is the way back. */
export function registerProviderSteps(
  app: FastifyInstance,
  context: PageContext,
  steps: ProviderSteps,
): AnswerReturn {
  const { store, cookies, credentials, config, clock } = context;
  const { browsers } = steps;
  const { allowInsecureLoopback } = config;
  const signIn = createSignInProbe({ ...context, allowInsecureLoopback });

  const leave =
    (purpose: SetUpAttempt["purpose"]) => async (request: FastifyRequest, reply: FastifyReply) => {
      const post = await steps.readPost({ request, reply });
      if (post === undefined) return reply;
      const { browserSecret } = post;
      const { installation, result: _before, attempt: _over, ...rest } = post.draft;
      if (installation === undefined) return await reply.redirect(paths.setUp, 303);
      const draft = { ...rest, installation };
      const state = createSecret();
      try {
        const { href } = await signIn.begin({ provider: installation.provider, state, browserSecret });
        const attempt = { purpose, state, expiresAt: clock() + lifetimes.signInAttempt * 1000 };
        await browsers.writeDraft(reply, { draft: { ...draft, attempt }, browserSecret });
        const page = { provider: installation.provider.name, href };
        return await setPageHeaders(reply).send(renderLeavingPage(page, await loadFrame(request, store)));
      } catch (error) {
        const result = { ...readFault(error, request), purpose };
        await browsers.writeResult(reply, { draft, browserSecret }, result);
        return await reply.redirect(paths.setUp, 303);
      }
    };
  app.post(paths.setUpTest, leave("test"));
  app.post(paths.setUpComplete, leave("complete"));

  /** Stores everything, and signs the administrator in. */
  async function complete(
    { request, reply }: Exchange,
    { installation, identity }: { installation: Installation; identity: ProvidedIdentity },
  ): Promise<FastifyReply> {
    const browser = await cookies.ensureBrowser(request, reply);
    const userAgent = request.headers["user-agent"]?.slice(0, 512) ?? null;
    const language = readLanguage(request.headers["accept-language"]);
    const completion = { installation, identity, browser, userAgent, language, requestId: request.id };
    // Needed once in the life of an installation.
    const { completeSetUp } = await import("../store-installation.js");
    const token = await completeSetUp(completion, { store, credentials, now: context.now() });
    if (token === undefined) return await steps.sendClosed({ request, reply });
    cookies.clearSetUp(reply);
    cookies.writeSession(reply, token);
    // To an address without the provider's code and state in it.
    return await reply.redirect(paths.setUpDone, 303);
  }

  app.get(paths.setUpDone, async (request, reply) => {
    const session = await cookies.readSession(request);
    const user = session && (await store.users.find(session.userId));
    const email = user?.enabled === true ? user.email : null;
    if (email === null) return await reply.redirect(paths.home, 303);
    return await setPageHeaders(reply).send(renderDonePage({ email }, await loadFrame(request, store)));
  });

  return async (exchange, { state, query }) => {
    const known = await browsers.readDraft(exchange.request);
    const way = known && findWay(known, state);
    if (known === undefined || way === undefined) return false;
    if (await steps.isClosed()) await steps.sendClosed(exchange);
    else await answer(exchange, { known, way, query });
    return true;
  };

  async function answer(
    { request, reply }: Exchange,
    { known, way, query }: { readonly known: KnownBrowser; readonly way: Way; readonly query: string },
  ): Promise<FastifyReply> {
    const { browserSecret } = known;
    const { installation, attempt } = way;
    const { purpose, state } = attempt;
    // Without the attempt: whatever happens, this answer of the provider is used up.
    const { attempt: _used, ...draft } = known.draft;
    try {
      if (attempt.expiresAt <= clock()) throw new SignInFault("answer_malformed");
      const journey = { provider: installation.provider, state, browserSecret };
      const claims = await signIn.finish(journey, { query, wantsGroups: false });
      const identity = decideAdministrator(claims, installation);
      if (purpose === "complete") return await complete({ request, reply }, { installation, identity });
      await browsers.writeResult(reply, { draft, browserSecret }, { purpose, email: identity.email });
    } catch (error) {
      await browsers.writeResult(reply, { draft, browserSecret }, { ...readFault(error, request), purpose });
    }
    return await reply.redirect(paths.setUp, 303);
  }
}

interface Way {
  readonly installation: Installation;
  readonly attempt: SetUpAttempt;
}

/** The way that a browser is on, if this is its `state`. */
function findWay({ draft: { installation, attempt } }: KnownBrowser, state: string): Way | undefined {
  if (installation === undefined || attempt?.state !== state) return undefined;
  return { installation, attempt };
}

/** The failed check, for the page and without personal data for the log. */
function readFault(error: unknown, request: FastifyRequest): TestResult {
  if (!(error instanceof SignInFault)) throw error;
  request.log.info({ fault: error.result.fault }, "The sign-in during setup failed.");
  return error.result;
}
