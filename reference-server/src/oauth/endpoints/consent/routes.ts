import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ClientProvenance, type ConsentOrigin, renderConsentPage } from "../../../pages/consent-page.js";
import { renderDeviceEndPage } from "../../../pages/device-page.js";
import { loadFrame } from "../../../pages/frame.js";
import { renderProblemPage, sendDeadEnd } from "../../../pages/problem-page.js";
import { type Exchange, setPageHeaders } from "../../../platform/http/security-headers.js";
import { isUuid, type Parameters, readForm, readQuery } from "../../../protocol/parameters.js";
import { formActionSource, redirectPlace } from "../../../protocol/redirect-uri.js";
import { shortCode } from "../../../protocol/secrets.js";
import { paths } from "../../../protocol/vocabulary.js";
import { csrfToken, isCsrfToken, isOwnForm } from "../../../sign-in/browser.js";
import type { StoredAuthorizationRequest } from "../../../store/authorization-requests.js";
import type { Client } from "../../../store/clients.js";
import type { Scope } from "../../../store/scopes.js";
import type { Store } from "../../../store/store.js";
import { isServiceScope } from "../../grants/service-access.js";
import type { OauthContext } from "../../context.js";
import {
  answerConsent,
  askForConsent,
  type ConsentAnswer,
  type ConsentQuestion,
  shownDigest,
} from "./ask.js";
import type { ConsentEnd, Decision } from "./conclude.js";

type Question = Extract<ConsentQuestion, { kind: "ask" }>;
type Nothing = Extract<ConsentQuestion, { kind: "nothing" }>;

/** Mounts the consent page and its form. */
export function registerConsent(app: FastifyInstance, context: OauthContext): void {
  const { store, directories, issuer, cookies } = context;
  const { sessionSecret } = context.config;
  const dependencies = (request: FastifyRequest) => ({
    store,
    refusals: context.refusals.from(app.addressOf(request)),
    directories,
    issuer,
    now: context.now(),
    requestId: request.id,
  });

  app.get(paths.consent, async (request, reply) => {
    const id = readQuery(request)?.get("request");
    const browser = await cookies.readBrowser(request);
    if (!isUuid(id) || browser === undefined) return await sendOver({ request, reply }, context);
    const question = await askForConsent(id, browser, dependencies(request));
    if (question.kind === "nothing") return await sendNothing({ request, reply }, question, context);
    if (question.kind !== "ask") return await sendEnd({ request, reply }, question, context);
    return await sendQuestion({ request, reply }, question, context);
  });

  app.post(paths.consent, async (request, reply) => {
    const form = readForm(request);
    const id = form?.get("request");
    const answer = readAnswer(form);
    const browser = await cookies.readBrowser(request);
    if (!isUuid(id) || answer === undefined || browser?.session === undefined)
      return await sendOver({ request, reply }, context);
    const ownForm = isOwnForm(request.headers, issuer);
    if (!ownForm || !isCsrfToken(form?.get("csrf"), csrfToken(sessionSecret, browser.session, id))) {
      request.log.warn({ code: "CONSENT_FROM_ELSEWHERE", ownForm }, "consent posted from elsewhere");
      return await sendForeign({ request, reply }, id, context);
    }
    const end = await answerConsent(id, { answer, browser }, dependencies(request));
    if (end.kind === "nothing") return await sendNothing({ request, reply }, end, context);
    if (end.kind !== "ask") return await sendEnd({ request, reply }, end, context);
    return await sendQuestion({ request, reply }, end, context);
  });
}

function readAnswer(form: Parameters | undefined): ConsentAnswer | undefined {
  const decision = form?.repeated.has("decision") ? undefined : form?.get("decision");
  if (decision !== "allow" && decision !== "deny") return undefined;
  return { decision, shown: form?.get("shown") };
}

async function sendQuestion(
  { request, reply }: Exchange,
  { request: asked, client, offer, user, session, allowedAt }: Question,
  { store, config }: OauthContext,
): Promise<FastifyReply> {
  const { id, target, dpopJkt } = asked;
  const page = renderConsentPage(
    {
      client: { name: client.name, provenance: provenanceOf(client) },
      serviceName: offer.resource?.name,
      shortCode: dpopJkt === null ? undefined : shortCode(dpopJkt),
      origin: await loadOrigin(asked, store),
      user,
      permissions: await describeScopes(offer.scopes, store),
      left: await describeScopes(offer.left, store),
      ruled: await describeScopes(offer.ruled, store),
      scopes: offer.scopes,
      allowedAt,
      requestId: id,
      csrfToken: csrfToken(config.sessionSecret, session, id),
      shown: shownDigest(offer.scopes),
      switchAccountHref: `${paths.signIn}?request=${id}&prompt=select_account`,
    },
    await loadFrame(request, store),
  );
  const formAction = target.kind === "redirect" ? [formActionSource(target.redirectUri)] : [];
  return await setPageHeaders(reply, { formAction }).send(page);
}

/** The scopes of the service with their descriptions, in the same order. */
async function describeScopes(
  scopes: readonly string[],
  store: Store,
): Promise<readonly Pick<Scope, "key" | "description">[]> {
  const wanted = scopes.filter(isServiceScope);
  if (wanted.length === 0) return [];
  const known = new Map((await store.scopes.findAll(wanted)).map((scope) => [scope.key, scope.description]));
  return wanted.map((key) => ({ key, description: known.get(key) ?? key }));
}

/** What vouches for the name of a client. */
function provenanceOf({ id, source }: Client): ClientProvenance {
  if (source === "metadata_document") return { kind: "host", host: new URL(id).host };
  return { kind: source === "registered" ? "registered" : "nobody" };
}

async function loadOrigin(
  { target, createdAt }: Pick<StoredAuthorizationRequest, "target" | "createdAt">,
  store: Store,
): Promise<ConsentOrigin> {
  if (target.kind === "device") {
    const place = await store.deviceAuthorizations.findPlace(target.deviceId);
    return { kind: "device", address: place?.address ?? null, askedAt: place?.askedAt ?? createdAt };
  }
  const { redirectUri } = target;
  const isWeb = redirectUri.startsWith("https:");
  return { kind: isWeb ? "elsewhere" : "here", place: redirectPlace(redirectUri) };
}

async function sendEnd(exchange: Exchange, end: ConsentEnd, context: OauthContext): Promise<FastifyReply> {
  if (end.kind === "over") return await sendOver(exchange, context);
  if (end.kind === "device") return await sendDeviceEnd(exchange, end.decision, context);
  return await exchange.reply.redirect(end.location, 303);
}

/** Shows what is missing, and how to request it, before the client gets its error. */
async function sendNothing(
  { request, reply }: Exchange,
  { request: refused, client, offer, person, session, end }: Nothing,
  { store, renderRefused }: OauthContext,
): Promise<FastifyReply> {
  const { resource, left } = offer;
  const backHref = end.kind === "redirect" ? end.location : undefined;
  const page = { request: refused, client, resource, left, session, permissions: person, backHref };
  const rendered = await renderRefused(page, await loadFrame(request, store));
  return await setPageHeaders(reply, { script: true }).code(403).send(rendered);
}

async function sendDeviceEnd(
  { request, reply }: Exchange,
  decision: Decision,
  { store }: OauthContext,
): Promise<FastifyReply> {
  const frame = await loadFrame(request, store);
  if (decision.kind !== "refuse") {
    const page = renderDeviceEndPage({ allowed: decision.kind === "allow" }, frame);
    return await setPageHeaders(reply).send(page);
  }
  const { text } = frame.texts;
  const paragraphs = [text("pages.device.notConnectedLead")];
  const page = renderProblemPage(
    { title: text("pages.device.notConnected"), paragraphs, code: decision.error.code },
    frame,
  );
  return await setPageHeaders(reply).code(403).send(page);
}

async function sendOver(exchange: Exchange, { store }: OauthContext): Promise<FastifyReply> {
  return await sendDeadEnd(exchange, { path: "pages.consent.over", status: 400 }, store);
}

/** The request stays open: the same person can be asked again. */
async function sendForeign(exchange: Exchange, id: string, { store }: OauthContext): Promise<FastifyReply> {
  const path = "pages.consent.fromElsewhereForm";
  const action = { href: `${paths.consent}?request=${id}`, label: `${path}.askAgain` } as const;
  return await sendDeadEnd(exchange, { path, status: 403, action }, store);
}
