import type { FastifyInstance, FastifyReply } from "fastify";
import { loadFrame } from "../pages/frame.js";
import { type Exchange, setPageHeaders } from "../platform/http/security-headers.js";
import { type Parameters, readQuery } from "../protocol/parameters.js";
import { paths } from "../protocol/vocabulary.js";
import type { PageContext } from "../sign-in/page-context.js";
import type { AnswerReturn } from "../sign-in/routes.js";
import { emptyValues, readDetails, valuesOf } from "./details-form.js";
import {
  createDraftVault,
  createSetUpBrowser,
  draftSeconds,
  isSetUpToken,
  type KnownBrowser,
} from "./draft.js";
import { presets, readPreset } from "./installation.js";
import {
  type DetailsPage,
  renderDetailsPage,
  renderPresetPage,
  renderReviewPage,
  renderTokenPage,
} from "./pages.js";
import { isClosed, readPost, sendClosed, sendOver, type SetUpContext } from "./posts.js";
import { registerProviderSteps } from "./provider/routes.js";

/** Mounts the set-up. It is open until an installation has a provider and an administrator. */
export function registerSetUp(app: FastifyInstance, context: PageContext): AnswerReturn {
  const { issuer, cookies, config, credentials, clock } = context;
  const { setupToken, sessionSecret } = config;
  const drafts = createDraftVault({ credentials, setupToken, clock });
  const browsers = createSetUpBrowser({ issuer, sessionSecret, cookies, drafts, clock });
  const setUp: SetUpContext = { ...context, browsers };

  app.get(paths.setUp, async (request, reply) => {
    if (await isClosed(setUp)) return await sendClosed({ request, reply }, setUp);
    const known = await browsers.readDraft(request);
    if (known === undefined) return await sendToken({ request, reply }, false, setUp);
    return await sendStep({ request, reply }, { known, query: readQuery(request) }, setUp);
  });

  app.post(paths.setUpToken, async (request, reply) => {
    if (await isClosed(setUp)) return await sendClosed({ request, reply }, setUp);
    const form = browsers.readForm(request);
    const browserSecret = cookies.readSecret(request);
    if (form === undefined || browserSecret === undefined) return await sendOver({ request, reply }, setUp);
    if (!isSetUpToken(form.get("token"), setupToken)) {
      const address = app.addressOf(request);
      request.log.warn({ code: "SETUP_TOKEN_REFUSED", address }, "A wrong setup token was entered.");
      return await sendToken({ request, reply: reply.code(403) }, true, setUp);
    }
    await browsers.writeDraft(reply, { draft: { expiresAt: clock() + draftSeconds * 1000 }, browserSecret });
    return await reply.redirect(paths.setUp, 303);
  });

  app.post(paths.setUpDetails, async (request, reply) => {
    const post = await readPost({ request, reply }, setUp);
    if (post === undefined) return reply;
    const { form, browserSecret } = post;
    const { expiresAt, installation: before } = post.draft;
    const preset = readPreset(form.get("preset")) ?? presets.other;
    const { allowInsecureLoopback } = config;
    const details = await readDetails(form, { before, allowInsecureLoopback });
    if (details.kind === "invalid") {
      return await sendDetails({ request, reply: reply.code(400) }, post, { preset, ...details }, setUp);
    }
    const { installation } = details;
    const draft = { expiresAt, installation, preset: preset.key };
    if (await browsers.writeDraft(reply, { draft, browserSecret }))
      return await reply.redirect(paths.setUp, 303);
    const page = { preset, values: valuesOf(installation), tooLong: true };
    return await sendDetails({ request, reply: reply.code(400) }, post, page, setUp);
  });

  return registerProviderSteps(app, setUp);
}

/** The step that the query names, or the first that is not done. */
async function sendStep(
  { request, reply }: Exchange,
  { known, query }: { readonly known: KnownBrowser; readonly query: Parameters | undefined },
  setUp: SetUpContext,
): Promise<FastifyReply> {
  const { installation, preset: chosen = "other" } = known.draft;
  const preset = readPreset(query?.get("provider"));
  if (preset !== undefined) {
    const { administrator_email, installation_name } = installation
      ? valuesOf(installation)
      : emptyValues(preset);
    // What was typed about the administrator stays when another provider is chosen.
    const values = { ...emptyValues(preset), administrator_email, installation_name };
    return await sendDetails({ request, reply }, known, { preset, values, hasSecret: false }, setUp);
  }
  const step = query?.get("step");
  if (step === "details" && installation !== undefined) {
    return await sendDetails({ request, reply }, known, { preset: presets[chosen] }, setUp);
  }
  if (step !== "provider") return await sendReview({ request, reply }, known, setUp);
  return await setPageHeaders(reply).send(renderPresetPage(await loadFrame(request, setUp.store)));
}

async function sendToken(
  { request, reply }: Exchange,
  refused: boolean,
  { cookies, browsers, store }: SetUpContext,
): Promise<FastifyReply> {
  const { secret } = await cookies.ensureBrowser(request, reply);
  const page = { csrfToken: browsers.csrfOf(secret), refused };
  return await setPageHeaders(reply).send(renderTokenPage(page, await loadFrame(request, store)));
}

async function sendDetails(
  { request, reply }: Exchange,
  { browserSecret, draft }: KnownBrowser,
  page: Pick<DetailsPage, "preset"> & Partial<DetailsPage>,
  { issuer, browsers, store }: SetUpContext,
): Promise<FastifyReply> {
  const { installation: before } = draft;
  const values = before === undefined ? emptyValues(page.preset) : valuesOf(before);
  const isMissing = page.problems?.client_secret === "missing";
  const hasSecret = typeof before?.provider.clientSecret === "string" && !isMissing;
  const defaults = {
    callbackUrl: `${issuer}${paths.signInCallback}`,
    values,
    problems: {},
    tooLong: false,
    hasSecret,
    csrfToken: browsers.csrfOf(browserSecret),
  };
  const html = renderDetailsPage({ ...defaults, ...page }, await loadFrame(request, store));
  return await setPageHeaders(reply, { script: true }).send(html);
}

async function sendReview(
  { request, reply }: Exchange,
  { browserSecret, draft: { installation, result } }: KnownBrowser,
  { issuer, browsers, store }: SetUpContext,
): Promise<FastifyReply> {
  const frame = await loadFrame(request, store);
  if (installation === undefined) return await setPageHeaders(reply).send(renderPresetPage(frame));
  const callbackUrl = `${issuer}${paths.signInCallback}`;
  const page = { installation, callbackUrl, result, csrfToken: browsers.csrfOf(browserSecret) };
  return await setPageHeaders(reply, { script: true }).send(renderReviewPage(page, frame));
}
