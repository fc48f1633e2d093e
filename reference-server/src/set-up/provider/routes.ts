import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { loadFrame, readLanguage } from "../../pages/frame.js";
import { type Exchange, setPageHeaders } from "../../platform/http/security-headers.js";
import { createSecret } from "../../protocol/secrets.js";
import { lifetimes, paths } from "../../protocol/vocabulary.js";
import { createSignInProbe, type SignInProbe } from "../../registry/probes/probe-sign-in.js";
import { decideAdministrator, SignInFault, type TestResult } from "../../registry/probes/sign-in-checks.js";
import type { ProvidedIdentity } from "../../sign-in/identity.js";
import type { AnswerReturn } from "../../sign-in/routes.js";
import type { KnownBrowser, SetUpAttempt } from "../draft.js";
import type { Installation } from "../installation.js";
import { renderDonePage, renderLeavingPage } from "../pages.js";
import { isClosed, readPost, sendClosed, type SetUpContext } from "../posts.js";

interface StepContext extends SetUpContext {
  readonly probe: SignInProbe;
}

/** Mounts the test and the completion, which both go to the provider. Returns what answers its callback. */
export function registerProviderSteps(app: FastifyInstance, setUp: SetUpContext): AnswerReturn {
  const { store, cookies, config, browsers } = setUp;
  const { allowInsecureLoopback } = config;
  const context: StepContext = { ...setUp, probe: createSignInProbe({ ...setUp, allowInsecureLoopback }) };

  const leave = (purpose: SetUpAttempt["purpose"]) => async (request: FastifyRequest, reply: FastifyReply) =>
    await sendToProvider({ request, reply }, purpose, context);
  app.post(paths.setUpTest, leave("test"));
  app.post(paths.setUpComplete, leave("complete"));

  app.get(paths.setUpDone, async (request, reply) => {
    const session = await cookies.readSession(request);
    const user = session && (await store.users.find(session.userId));
    const email = user?.enabled === true ? user.email : null;
    if (email === null) return await reply.redirect(paths.home, 303);
    return await setPageHeaders(reply).send(renderDonePage({ email }, await loadFrame(request, store)));
  });

  return async (exchange, { state, query }) => {
    const known = await browsers.readDraft(exchange.request);
    const pending = known && findPending(known, state);
    if (known === undefined || pending === undefined) return false;
    if (await isClosed(context)) await sendClosed(exchange, context);
    else await answer(exchange, { known, pending, query }, context);
    return true;
  };
}

async function sendToProvider(
  { request, reply }: Exchange,
  purpose: SetUpAttempt["purpose"],
  context: StepContext,
): Promise<FastifyReply> {
  const { store, clock, browsers, probe } = context;
  const post = await readPost({ request, reply }, context);
  if (post === undefined) return reply;
  const { browserSecret } = post;
  const { installation, result: _before, attempt: _over, ...rest } = post.draft;
  if (installation === undefined) return await reply.redirect(paths.setUp, 303);
  const draft = { ...rest, installation };
  const state = createSecret();
  try {
    const { href } = await probe.begin({ provider: installation.provider, state, browserSecret });
    const attempt = { purpose, state, expiresAt: clock() + lifetimes.signInAttempt * 1000 };
    await browsers.writeDraft(reply, { draft: { ...draft, attempt }, browserSecret });
    const page = { provider: installation.provider.name, href };
    return await setPageHeaders(reply).send(renderLeavingPage(page, await loadFrame(request, store)));
  } catch (error) {
    const result = { ...readFault(error, request), purpose };
    await browsers.writeResult(reply, { draft, browserSecret }, result);
    return await reply.redirect(paths.setUp, 303);
  }
}

/** What a browser went to the provider for. */
interface Pending {
  readonly installation: Installation;
  readonly attempt: SetUpAttempt;
}

function findPending({ draft: { installation, attempt } }: KnownBrowser, state: string): Pending | undefined {
  if (installation === undefined || attempt?.state !== state) return undefined;
  return { installation, attempt };
}

async function answer(
  { request, reply }: Exchange,
  back: { readonly known: KnownBrowser; readonly pending: Pending; readonly query: string },
  context: StepContext,
): Promise<FastifyReply> {
  const { clock, browsers, probe } = context;
  const { browserSecret } = back.known;
  const { installation, attempt } = back.pending;
  const { purpose, state } = attempt;
  // Without the attempt: an answer of the provider counts once, even if it fails.
  const { attempt: _used, ...draft } = back.known.draft;
  try {
    if (attempt.expiresAt <= clock()) throw new SignInFault("answer_malformed");
    const journey = { provider: installation.provider, state, browserSecret };
    const { claims } = await probe.finish(journey, { query: back.query, wantsGroups: false });
    const identity = decideAdministrator(claims, installation);
    if (purpose === "complete")
      return await complete({ request, reply }, { installation, identity }, context);
    await browsers.writeResult(reply, { draft, browserSecret }, { purpose, email: identity.email });
  } catch (error) {
    await browsers.writeResult(reply, { draft, browserSecret }, { ...readFault(error, request), purpose });
  }
  return await reply.redirect(paths.setUp, 303);
}

/** Stores everything, and signs the administrator in. */
async function complete(
  { request, reply }: Exchange,
  { installation, identity }: { readonly installation: Installation; readonly identity: ProvidedIdentity },
  context: StepContext,
): Promise<FastifyReply> {
  const { store, cookies, credentials } = context;
  const browser = await cookies.ensureBrowser(request, reply);
  const userAgent = request.headers["user-agent"]?.slice(0, 512) ?? null;
  const language = readLanguage(request.headers["accept-language"]);
  const completion = { installation, identity, browser, userAgent, language, requestId: request.id };
  // Loaded once in the life of an installation.
  const { completeSetUp } = await import("../store-installation.js");
  const token = await completeSetUp(completion, { store, credentials, now: context.now() });
  if (token === undefined) return await sendClosed({ request, reply }, context);
  cookies.clearSetUp(reply);
  cookies.writeSession(reply, token);
  // To an address without the provider's code and state in it.
  return await reply.redirect(paths.setUpDone, 303);
}

/** The failed check, for the page and, without personal data, for the log. */
function readFault(error: unknown, request: FastifyRequest): TestResult {
  if (!(error instanceof SignInFault)) throw error;
  request.log.info({ fault: error.result.fault }, "The sign-in during setup failed.");
  return error.result;
}
