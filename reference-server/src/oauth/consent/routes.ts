import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { setPageHeaders } from "../../http/security-headers.js";
import { csrfToken, isCsrfToken, isOwnForm } from "../../login/browser.js";
import { type ConsentOrigin, renderConsentPage } from "../../pages/consent-page.js";
import { renderDeviceEndPage } from "../../pages/device-page.js";
import { renderProblemPage } from "../../pages/problem-page.js";
import type { AnswerTarget } from "../../store/authorization-requests.js";
import type { OauthContext } from "../context.js";
import { isUuid } from "../identifiers.js";
import { type Parameters, parseForm, parseQuery, readParameters } from "../parameters.js";
import { formActionSource, redirectPlace } from "../redirect-uri.js";
import { shortCode } from "../short-code.js";
import { paths } from "../vocabulary.js";
import { answerConsent } from "./answer.js";
import { askForConsent, type ConsentQuestion } from "./ask.js";
import type { ConsentEnd, Decision } from "./conclude.js";

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
    if (question.kind !== "ask") return await sendEnd(reply, question, context);
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
    const end = await answerConsent(id, { answer, browser }, dependencies(request));
    return await sendEnd(reply, end, context);
  });
}

function readAnswer(form: Parameters | undefined): "allow" | "deny" | undefined {
  const decision = form?.repeated.has("decision") ? undefined : form?.get("decision");
  return decision === "allow" || decision === "deny" ? decision : undefined;
}

function sendQuestion(reply: FastifyReply, question: Question, csrf: string): FastifyReply {
  const { request, client, user, installationName } = question;
  const { target, dpopJkt } = request;
  const page = renderConsentPage({
    installationName,
    clientName: client.name,
    shortCode: dpopJkt === null ? undefined : shortCode(dpopJkt),
    origin: originOf(target),
    user,
    scopes: request.scopes,
    requestId: request.id,
    csrfToken: csrf,
    switchAccountHref: `${paths.signIn}?request=${request.id}&prompt=select_account`,
  });
  const formAction = target.kind === "redirect" ? [formActionSource(target.redirectUri)] : [];
  return setPageHeaders(reply, { formAction }).send(page);
}

function originOf(target: AnswerTarget): ConsentOrigin {
  if (target.kind === "device") return { kind: "device" };
  const { redirectUri } = target;
  const isWeb = redirectUri.startsWith("https:");
  return { kind: isWeb ? "elsewhere" : "here", place: redirectPlace(redirectUri) };
}

async function sendEnd(reply: FastifyReply, end: ConsentEnd, context: OauthContext): Promise<FastifyReply> {
  if (end.kind === "over") return await sendOver(reply, context);
  if (end.kind === "device") return await sendDeviceEnd(reply, end.decision, context);
  return await reply.redirect(end.location, 303);
}

async function sendDeviceEnd(
  reply: FastifyReply,
  decision: Decision,
  { store }: OauthContext,
): Promise<FastifyReply> {
  const { installationName } = await store.settings.get();
  if (decision.kind !== "refuse") {
    const page = renderDeviceEndPage({ installationName, allowed: decision.kind === "allow" });
    return await setPageHeaders(reply).send(page);
  }
  const { error } = decision;
  const title = "The device is not connected";
  const page = renderProblemPage({ installationName, title, paragraphs: [error.message], code: error.code });
  return await setPageHeaders(reply).code(403).send(page);
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
