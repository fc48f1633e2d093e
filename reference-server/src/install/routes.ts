import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { setPageHeaders } from "../http/security-headers.js";
import { csrfToken, isCsrfToken, isOwnForm } from "../login/browser.js";
import type { OauthContext } from "../oauth/context.js";
import { type Parameters, parseForm, parseQuery, readParameters } from "../oauth/parameters.js";
import { createSecret } from "../oauth/secrets.js";
import { lifetimes, paths } from "../oauth/vocabulary.js";
import { loadFrame } from "../pages/frame.js";
import { renderProblemPage } from "../pages/problem-page.js";
import { type DetailsPage, renderDetailsPage } from "../pages/set-up/details-page.js";
import { renderDonePage, renderLeavingPage } from "../pages/set-up/end-pages.js";
import { renderPresetPage } from "../pages/set-up/preset-page.js";
import { renderReviewPage } from "../pages/set-up/review-page.js";
import { renderTokenPage } from "../pages/set-up/token-page.js";
import { SetUpFault, type TestResult } from "./checks.js";
import { completeSetUp } from "./complete-set-up.js";
import { type DetailValues, emptyValues, readDetails, valuesOf } from "./details-form.js";
import { createDraftVault, draftSeconds, isSetUpToken, type SetUpDraft, type SetUpResult } from "./draft.js";
import { presets, readPreset } from "./presets.js";
import { createSetUpSignIn } from "./sign-in.js";

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A form of the set-up that was posted from its own page, in a browser whose draft is known. */
interface OwnPost {
  readonly form: Parameters;
  readonly browserSecret: string;
  readonly draft: SetUpDraft;
}

/** A browser that comes back from a provider. */
export interface ProviderReturn {
  readonly state: string;
  /** As received. */
  readonly query: string;
}

/** Answers a browser that comes back from the provider of its set-up; `undefined` when that is not what it did. */
export type AnswerReturn = (exchange: Exchange, back: ProviderReturn) => Promise<FastifyReply | undefined>;

/** Mounts the set-up. It is there until an installation has a provider and an administrator. */
export function registerSetUp(app: FastifyInstance, context: OauthContext): AnswerReturn {
  const { store, issuer, cookies, config, credentials, clock } = context;
  const callbackUrl = `${issuer}${paths.signInCallback}`;
  const { setupToken, sessionSecret, allowInsecureLoopback } = config;
  const drafts = createDraftVault({ credentials, setupToken, clock });
  const signIn = createSetUpSignIn({ ...context, callbackUrl, allowInsecureLoopback });
  const csrfOf = (browserSecret: string) => csrfToken(sessionSecret, { id: browserSecret }, "set-up");

  function readDraft(request: FastifyRequest): Omit<OwnPost, "form"> | undefined {
    const browserSecret = cookies.readSecret(request);
    const draft = browserSecret && drafts.open(cookies.readSetUp(request), browserSecret);
    return browserSecret && draft ? { browserSecret, draft } : undefined;
  }

  function readForm(request: FastifyRequest): Parameters | undefined {
    const body = request.body as Buffer | undefined;
    const form = readParameters(() => parseForm(request.headers["content-type"], body));
    const browserSecret = cookies.readSecret(request);
    if (form === undefined || browserSecret === undefined || !isOwnForm(request.headers, issuer))
      return undefined;
    return isCsrfToken(form.get("csrf"), csrfOf(browserSecret)) ? form : undefined;
  }

  /** Returns whether the draft fits into its cookie. */
  function writeDraft(reply: FastifyReply, draft: SetUpDraft, browserSecret: string): boolean {
    const sealed = drafts.seal(draft, browserSecret);
    if (sealed !== undefined) cookies.writeSetUp(reply, sealed, (draft.expiresAt - clock()) / 1000);
    return sealed !== undefined;
  }

  /** What the provider said is left out when it is too long. */
  function writeResult(
    reply: FastifyReply,
    {
      draft,
      browserSecret,
    }: { readonly draft: SetUpDraft & { readonly result: SetUpResult }; browserSecret: string },
  ): void {
    if (writeDraft(reply, draft, browserSecret)) return;
    const { detail: _detail, ...result } = draft.result;
    writeDraft(reply, { ...draft, result }, browserSecret);
  }

  const isClosed = async () => (await store.installation.state()) === "installed";

  async function sendClosed({ request, reply }: Exchange): Promise<FastifyReply> {
    cookies.clearSetUp(reply);
    const frame = await loadFrame(request, store);
    const { setUp, problem } = frame.texts;
    const page = renderProblemPage(
      { ...setUp.closed, action: { href: paths.home, label: problem.startPage } },
      frame,
    );
    return await setPageHeaders(reply).code(410).send(page);
  }

  async function sendOver({ request, reply }: Exchange): Promise<FastifyReply> {
    const frame = await loadFrame(request, store);
    const { over } = frame.texts.setUp;
    const action = { href: paths.setUp, label: over.action };
    return await setPageHeaders(reply)
      .code(400)
      .send(renderProblemPage({ ...over, action }, frame));
  }

  async function sendToken({ request, reply }: Exchange, refused: boolean): Promise<FastifyReply> {
    const { secret } = await cookies.ensureBrowser(request, reply);
    const frame = await loadFrame(request, store);
    return await setPageHeaders(reply).send(renderTokenPage({ csrfToken: csrfOf(secret), refused }, frame));
  }

  async function sendDetails(
    { request, reply }: Exchange,
    { browserSecret, draft }: Omit<OwnPost, "form">,
    page: Pick<DetailsPage, "preset"> & Partial<DetailsPage>,
  ): Promise<FastifyReply> {
    const { installation: before } = draft;
    const values = before === undefined ? emptyValues(page.preset) : valuesOf(before);
    const known = { callbackUrl, values, problems: {}, tooLong: false, csrfToken: csrfOf(browserSecret) };
    const hasSecret = typeof before?.provider.clientSecret === "string";
    const html = renderDetailsPage({ ...known, hasSecret, ...page }, await loadFrame(request, store));
    return await setPageHeaders(reply, { script: true }).send(html);
  }

  async function sendReview(
    { request, reply }: Exchange,
    { browserSecret, draft: { installation, result } }: Omit<OwnPost, "form">,
  ): Promise<FastifyReply> {
    const frame = await loadFrame(request, store);
    if (installation === undefined) return await setPageHeaders(reply).send(renderPresetPage(frame));
    const page = { installation, callbackUrl, result, csrfToken: csrfOf(browserSecret) };
    return await setPageHeaders(reply, { script: true }).send(renderReviewPage(page, frame));
  }

  app.get(paths.setUp, async (request, reply) => {
    if (await isClosed()) return await sendClosed({ request, reply });
    const known = readDraft(request);
    if (known === undefined) return await sendToken({ request, reply }, false);
    const query = readParameters(() => parseQuery(request.url));
    const { installation } = known.draft;
    const preset = readPreset(query?.get("provider"));
    if (preset !== undefined) {
      const values = { ...emptyValues(preset), ...(installation && aboutPerson(valuesOf(installation))) };
      return await sendDetails({ request, reply }, known, { preset, values, hasSecret: false });
    }
    const step = query?.get("step");
    if (step === "details" && installation !== undefined) {
      return await sendDetails({ request, reply }, known, { preset: presets[known.draft.preset ?? "other"] });
    }
    if (step !== "provider") return await sendReview({ request, reply }, known);
    return await setPageHeaders(reply).send(renderPresetPage(await loadFrame(request, store)));
  });

  app.post(paths.setUpToken, async (request, reply) => {
    if (await isClosed()) return await sendClosed({ request, reply });
    const form = readForm(request);
    const browserSecret = cookies.readSecret(request);
    if (form === undefined || browserSecret === undefined) return await sendOver({ request, reply });
    if (!isSetUpToken(form.get("token"), setupToken)) {
      const address = app.addressOf(request);
      request.log.warn({ code: "SETUP_TOKEN_REFUSED", address }, "A wrong set-up token was shown.");
      return await sendToken({ request, reply: reply.code(403) }, true);
    }
    writeDraft(reply, { expiresAt: clock() + draftSeconds * 1000 }, browserSecret);
    return await reply.redirect(paths.setUp, 303);
  });

  /** What a form that needs a draft was posted with, unless the set-up is closed or over for this browser. */
  async function readPost(exchange: Exchange): Promise<OwnPost | FastifyReply> {
    if (await isClosed()) return await sendClosed(exchange);
    const form = readForm(exchange.request);
    const known = readDraft(exchange.request);
    return form === undefined || known === undefined ? await sendOver(exchange) : { ...known, form };
  }

  app.post(paths.setUpDetails, async (request, reply) => {
    const post = await readPost({ request, reply });
    if (!("form" in post)) return post;
    const { form, draft, browserSecret } = post;
    const preset = readPreset(form.get("preset")) ?? presets.other;
    const details = readDetails(form, { before: draft.installation, allowInsecureLoopback });
    if (details.kind === "invalid") {
      return await sendDetails({ request, reply: reply.code(400) }, post, { preset, ...details });
    }
    const { expiresAt } = draft;
    const { installation } = details;
    if (!writeDraft(reply, { expiresAt, installation, preset: preset.key }, browserSecret)) {
      const values = valuesOf(installation);
      return await sendDetails({ request, reply: reply.code(400) }, post, { preset, values, tooLong: true });
    }
    return await reply.redirect(paths.setUp, 303);
  });

  /** Sends a browser to the provider. */
  const leave = (purpose: "test" | "complete") => async (request: FastifyRequest, reply: FastifyReply) => {
    const post = await readPost({ request, reply });
    if (!("form" in post)) return post;
    const { draft, browserSecret } = post;
    const { installation, preset, expiresAt } = draft;
    if (installation === undefined) return await reply.redirect(paths.setUp, 303);
    const entered = { expiresAt, installation, ...(preset !== undefined && { preset }) };
    const state = createSecret();
    try {
      const href = (await signIn.begin({ installation, state, browserSecret })).href;
      const attempt = { purpose, state, expiresAt: clock() + lifetimes.signInAttempt * 1000 };
      writeDraft(reply, { ...entered, attempt }, browserSecret);
      const page = { provider: installation.provider.name, href };
      return await setPageHeaders(reply).send(renderLeavingPage(page, await loadFrame(request, store)));
    } catch (error) {
      const result = { ...readFault(error, request), purpose };
      writeResult(reply, { draft: { ...entered, result }, browserSecret });
      return await reply.redirect(paths.setUp, 303);
    }
  };
  app.post(paths.setUpTest, leave("test"));
  app.post(paths.setUpComplete, leave("complete"));

  return async ({ request, reply }, { state, query }) => {
    const known = readDraft(request);
    const installation = known?.draft.installation;
    const attempt = known?.draft.attempt;
    if (known === undefined || installation === undefined || attempt?.state !== state) return undefined;
    if (await isClosed()) return await sendClosed({ request, reply });
    const { browserSecret, draft } = known;
    const { purpose } = attempt;
    // Without the attempt: whatever happens, this answer of the provider is used up.
    const { attempt: _used, ...entered } = draft;
    const remember = (result: SetUpResult) =>
      writeResult(reply, { draft: { ...entered, result }, browserSecret });
    try {
      if (attempt.expiresAt <= clock()) throw new SetUpFault("answer_malformed");
      const identity = await signIn.finish({ installation, state, browserSecret }, query);
      if (purpose === "test") {
        remember({ purpose, email: identity.email });
        return await reply.redirect(paths.setUp, 303);
      }
      const browser = await cookies.ensureBrowser(request, reply);
      const userAgent = request.headers["user-agent"]?.slice(0, 512) ?? null;
      const completion = { installation, identity, browser, userAgent, requestId: request.id };
      const token = await completeSetUp(completion, { store, credentials, now: context.now() });
      if (token === undefined) return await sendClosed({ request, reply });
      cookies.clearSetUp(reply);
      cookies.writeSession(reply, token);
      const frame = await loadFrame(request, store);
      return await setPageHeaders(reply).send(renderDonePage({ email: identity.email }, frame));
    } catch (error) {
      remember({ ...readFault(error, request), purpose });
      return await reply.redirect(paths.setUp, 303);
    }
  };
}

/** What stays when another provider is chosen. */
function aboutPerson({ administrator_email, installation_name }: DetailValues) {
  return { administrator_email, installation_name };
}

/** The failed check, for the page and without personal data for the log. */
function readFault(error: unknown, request: FastifyRequest): TestResult {
  if (!(error instanceof SetUpFault)) throw error;
  request.log.info({ fault: error.result.fault }, "The sign-in of the set-up failed.");
  return error.result;
}
