import type { FastifyInstance, FastifyReply } from "fastify";
import { loadFrame } from "../pages/frame.js";
import { sendDeadEnd } from "../pages/problem-page.js";
import { type Exchange, setPageHeaders } from "../platform/http/security-headers.js";
import { readQuery } from "../protocol/parameters.js";
import { paths } from "../protocol/vocabulary.js";
import type { PageContext } from "../sign-in/page-context.js";
import type { AnswerReturn } from "../sign-in/routes.js";
import { type DetailValues, presets, readPreset } from "./installation.js";
import { emptyValues, readDetails, valuesOf } from "./details-form.js";
import {
  createDraftVault,
  createSetUpBrowser,
  draftSeconds,
  isSetUpToken,
  type KnownBrowser,
  type OwnPost,
} from "./draft.js";
import {
  type DetailsPage,
  renderDetailsPage,
  renderPresetPage,
  renderReviewPage,
  renderTokenPage,
} from "./pages.js";
import { registerProviderSteps } from "./provider/routes.js";

/** Mounts the set-up. It is there until an installation has a provider and an administrator. */
export function registerSetUp(app: FastifyInstance, context: PageContext): AnswerReturn {
  const { store, issuer, cookies, config, credentials, clock } = context;
  const callbackUrl = `${issuer}${paths.signInCallback}`;
  const { setupToken, sessionSecret, allowInsecureLoopback } = config;
  const drafts = createDraftVault({ credentials, setupToken, clock });
  const browsers = createSetUpBrowser({ issuer, sessionSecret, cookies, drafts, clock });
  const isClosed = async () => (await store.installation.state()) === "installed";

  async function sendClosed(exchange: Exchange): Promise<FastifyReply> {
    cookies.clearSetUp(exchange.reply);
    const action = { href: paths.home, label: "pages.problem.startPage" } as const;
    return await sendDeadEnd(exchange, { path: "set-up.closed", status: 410, action }, store);
  }

  async function sendOver(exchange: Exchange): Promise<FastifyReply> {
    const action = { href: paths.setUp, label: "set-up.over.action" } as const;
    return await sendDeadEnd(exchange, { path: "set-up.over", status: 400, action }, store);
  }

  async function sendToken({ request, reply }: Exchange, refused: boolean): Promise<FastifyReply> {
    const { secret } = await cookies.ensureBrowser(request, reply);
    const page = { csrfToken: browsers.csrfOf(secret), refused };
    return await setPageHeaders(reply).send(renderTokenPage(page, await loadFrame(request, store)));
  }

  async function sendDetails(
    { request, reply }: Exchange,
    { browserSecret, draft }: KnownBrowser,
    page: Pick<DetailsPage, "preset"> & Partial<DetailsPage>,
  ): Promise<FastifyReply> {
    const { installation: before } = draft;
    const values = before === undefined ? emptyValues(page.preset) : valuesOf(before);
    const isAsked = page.problems?.client_secret === "missing";
    const hasSecret = typeof before?.provider.clientSecret === "string" && !isAsked;
    const csrfToken = browsers.csrfOf(browserSecret);
    const usual = { callbackUrl, values, problems: {}, tooLong: false, hasSecret, csrfToken };
    const html = renderDetailsPage({ ...usual, ...page }, await loadFrame(request, store));
    return await setPageHeaders(reply, { script: true }).send(html);
  }

  async function sendReview(
    { request, reply }: Exchange,
    { browserSecret, draft: { installation, result } }: KnownBrowser,
  ): Promise<FastifyReply> {
    const frame = await loadFrame(request, store);
    if (installation === undefined) return await setPageHeaders(reply).send(renderPresetPage(frame));
    const page = { installation, callbackUrl, result, csrfToken: browsers.csrfOf(browserSecret) };
    return await setPageHeaders(reply, { script: true }).send(renderReviewPage(page, frame));
  }

  /** What a form was posted with; `undefined` when the set-up is closed, or over for this browser, which it was told. */
  async function readPost(exchange: Exchange): Promise<OwnPost | undefined> {
    if (await isClosed()) {
      await sendClosed(exchange);
      return undefined;
    }
    const form = browsers.readForm(exchange.request);
    const known = await browsers.readDraft(exchange.request);
    if (form !== undefined && known !== undefined) return { ...known, form };
    await sendOver(exchange);
    return undefined;
  }

  app.get(paths.setUp, async (request, reply) => {
    if (await isClosed()) return await sendClosed({ request, reply });
    const known = await browsers.readDraft(request);
    if (known === undefined) return await sendToken({ request, reply }, false);
    const query = readQuery(request);
    const { installation, preset: chosen = "other" } = known.draft;
    const preset = readPreset(query?.get("provider"));
    if (preset !== undefined) {
      const values = { ...emptyValues(preset), ...(installation && aboutPerson(valuesOf(installation))) };
      return await sendDetails({ request, reply }, known, { preset, values, hasSecret: false });
    }
    const step = query?.get("step");
    if (step === "details" && installation !== undefined) {
      return await sendDetails({ request, reply }, known, { preset: presets[chosen] });
    }
    if (step !== "provider") return await sendReview({ request, reply }, known);
    return await setPageHeaders(reply).send(renderPresetPage(await loadFrame(request, store)));
  });

  app.post(paths.setUpToken, async (request, reply) => {
    if (await isClosed()) return await sendClosed({ request, reply });
    const form = browsers.readForm(request);
    const browserSecret = cookies.readSecret(request);
    if (form === undefined || browserSecret === undefined) return await sendOver({ request, reply });
    if (!isSetUpToken(form.get("token"), setupToken)) {
      const address = app.addressOf(request);
      request.log.warn({ code: "SETUP_TOKEN_REFUSED", address }, "A wrong setup token was entered.");
      return await sendToken({ request, reply: reply.code(403) }, true);
    }
    await browsers.writeDraft(reply, { draft: { expiresAt: clock() + draftSeconds * 1000 }, browserSecret });
    return await reply.redirect(paths.setUp, 303);
  });

  app.post(paths.setUpDetails, async (request, reply) => {
    const post = await readPost({ request, reply });
    if (post === undefined) return reply;
    const { form, browserSecret } = post;
    const { expiresAt, installation: before } = post.draft;
    const preset = readPreset(form.get("preset")) ?? presets.other;
    const details = await readDetails(form, { before, allowInsecureLoopback });
    if (details.kind === "invalid") {
      return await sendDetails({ request, reply: reply.code(400) }, post, { preset, ...details });
    }
    const { installation } = details;
    const draft = { expiresAt, installation, preset: preset.key };
    if (await browsers.writeDraft(reply, { draft, browserSecret }))
      return await reply.redirect(paths.setUp, 303);
    const values = valuesOf(installation);
    return await sendDetails({ request, reply: reply.code(400) }, post, { preset, values, tooLong: true });
  });

  return registerProviderSteps(app, context, { browsers, isClosed, sendClosed, readPost });
}

/** What stays when another provider is chosen. */
function aboutPerson({ administrator_email, installation_name }: DetailValues) {
  return { administrator_email, installation_name };
}
