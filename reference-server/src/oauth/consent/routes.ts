import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { setPageHeaders } from "../../http/security-headers.js";
import { csrfToken, isCsrfToken, isOwnForm } from "../../login/browser.js";
import { renderConsentPage } from "../../pages/consent-page.js";
import { renderProblemPage } from "../../pages/problem-page.js";
import type { OauthContext } from "../context.js";
import { isUuid } from "../identifiers.js";
import { type Parameters, parseForm, parseQuery, readParameters } from "../parameters.js";
import { formActionSource } from "../redirect-uri.js";
import { shortCode } from "../short-code.js";
import { paths } from "../vocabulary.js";
import { answerConsent } from "./answer.js";
import { askForConsent, type ConsentQuestion } from "./ask.js";

type Question = Extract<ConsentQuestion, { kind: "ask" }>;

/** Mounts the page that asks the person, and takes the answer. */
export function registerConsent(app: FastifyInstance, context: OauthContext): void {
  const { store, directories, issuer, cookies } = context;
  const { sessionSecret } = context.config;
  const dependencies = (request: FastifyRequest) => ({
    store,
    directories,
    issuer,
    now: context.now(),
    requestId: request.id,
  });

  app.get(paths.consent, async (request, reply) => {
    const id = readParameters(() => parseQuery(request.url))?.get("request");
    const browser = await cookies.readBrowser(request);
    if (!isUuid(id) || browser === undefined) return await sendOver(reply, context);
    const question = await askForConsent(id, browser, dependencies(request));
    if (question.kind === "over") return await sendOver(reply, context);
    if (question.kind === "redirect") return await reply.redirect(question.location, 303);
    return await sendQuestion(reply, question, csrfToken(sessionSecret, question.session, id));
  });

  app.post(paths.consent, async (request, reply) => {
    const form = readParameters(() =>
      parseForm(request.headers["content-type"], request.body as Buffer | undefined),
    );
    const id = form?.get("request");
    const answer = readAnswer(form);
    const browser = await cookies.readBrowser(request);
    if (!isUuid(id) || answer === undefined || browser?.session === undefined)
      return await sendOver(reply, context);
    const ownForm = isOwnForm(request.headers, issuer);
    if (!ownForm || !isCsrfToken(form?.get("csrf"), csrfToken(sessionSecret, browser.session, id))) {
      request.log.warn({ ownForm }, "consent posted from elsewhere");
      return await sendOver(reply, context);
    }
    const result = await answerConsent(id, { answer, browser }, dependencies(request));
    return result.kind === "over"
      ? await sendOver(reply, context)
      : await reply.redirect(result.location, 303);
  });
}

function readAnswer(form: Parameters | undefined): "allow" | "deny" | undefined {
  const decision = form?.repeated.has("decision") ? undefined : form?.get("decision");
  return decision === "allow" || decision === "deny" ? decision : undefined;
}

function sendQuestion(reply: FastifyReply, question: Question, csrf: string): FastifyReply {
  const { request, client, user, installationName } = question;
  const page = renderConsentPage({
    installationName,
    clientName: client.name,
    shortCode: shortCode(request.dpopJkt),
    place: new URL(request.redirectUri).host,
    user,
    scopes: request.scopes,
    requestId: request.id,
    csrfToken: csrf,
    switchAccountHref: `${paths.signIn}?request=${request.id}&prompt=select_account`,
  });
  return setPageHeaders(reply, { formAction: [formActionSource(request.redirectUri)] }).send(page);
}

async function sendOver(reply: FastifyReply, { store }: OauthContext): Promise<FastifyReply> {
  const { installationName } = await store.settings.get();
  const page = renderProblemPage({
    installationName,
    title: "This request is over",
    paragraphs: [
      "It was answered already, it is older than ten minutes, or it was started in another browser.",
      "Go back to your terminal and start again.",
    ],
  });
  return await setPageHeaders(reply).code(400).send(page);
}
