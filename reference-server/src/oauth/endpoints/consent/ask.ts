import { createHash } from "node:crypto";
import type { Permissions } from "../../../permissions/effective-scopes.js";
import type { GroupDirectories } from "../../../permissions/groups/directories.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { paths } from "../../../protocol/vocabulary.js";
import type { Browser } from "../../../sign-in/browser.js";
import type { StoredAuthorizationRequest } from "../../../store/authorization-requests.js";
import type { BrowserSession } from "../../../store/browser-sessions.js";
import { type Client, mayAct } from "../../../store/clients.js";
import type { User } from "../../../store/users.js";
import { considerAuthorization, type Offer } from "../authorize/situation.js";
import {
  concludeRequest,
  type ConclusionDependencies,
  type ConsentEnd,
  isCovered,
  isProvenReceiver,
} from "./conclude.js";

interface ConsentDependencies extends ConclusionDependencies {
  readonly directories: GroupDirectories;
}

/** What a browser with an authorization request is shown. */
export type ConsentQuestion =
  | ConsentEnd
  /** The user lacks permissions and can request them. The client gets its error when they continue. */
  | {
      readonly kind: "nothing";
      readonly request: StoredAuthorizationRequest;
      readonly client: Client;
      readonly offer: Offer;
      readonly person: Permissions;
      readonly session: BrowserSession;
      readonly end: ConsentEnd;
    }
  | {
      readonly kind: "ask";
      readonly request: StoredAuthorizationRequest;
      readonly client: Client;
      readonly offer: Offer;
      readonly user: User;
      readonly session: BrowserSession;
      /** The time of an earlier consent to the same. */
      readonly allowedAt: Date | undefined;
    };

/**
 * Advances a request: to the sign-in, to a refusal, to a remembered consent, or to the question itself.
 *
 * @throws {OAuthError} `temporarily_unavailable`: a directory is unavailable; the request stays open.
 */
export async function askForConsent(
  id: string,
  browser: Browser,
  dependencies: ConsentDependencies,
): Promise<ConsentQuestion> {
  const question = await findQuestion(id, browser, dependencies);
  if (question.kind !== "ask") return question;
  const { request, user, session, client, offer, allowedAt } = question;
  if (allowedAt === undefined || !goesWithoutAsking(request)) return question;
  const decision = { kind: "allow", user, session, client, offer, remembered: true } as const;
  return await concludeRequest(request, decision, dependencies);
}

/**
 * The question of a request, or what there is instead, for asking it and for judging an answer.
 *
 * @throws {OAuthError} as `askForConsent`
 */
async function findQuestion(
  id: string,
  browser: Browser,
  dependencies: ConsentDependencies,
): Promise<ConsentQuestion> {
  const { store, now } = dependencies;
  const request = await store.authorizationRequests.findOpen({ id, browserHash: browser.hash, now });
  const client = request && (await store.clients.find(request.clientId));
  if (request === undefined || client === undefined || !mayAct(client)) return { kind: "over" };

  const { session } = browser;
  const { step, user, person, offer } = await considerAuthorization(
    request,
    { browser, client },
    dependencies,
  );
  if (step.kind === "sign-in") {
    const prompt = step.prompt === undefined ? "" : `&prompt=${step.prompt}`;
    return { kind: "redirect", location: `${paths.signIn}?request=${request.id}${prompt}` };
  }
  if (step.kind === "refuse") {
    const { error, lacks } = step;
    const end = await concludeRequest(request, { kind: "refuse", user, error, lacks }, dependencies);
    if (!lacks || person === undefined || session === undefined || end.kind === "over") return end;
    return { kind: "nothing", request, client, offer, person, session, end };
  }
  if (step.kind === "unavailable") throw step.error;
  if (user === undefined || session === undefined) return { kind: "over" };
  const allowedAt = await allowedBefore({ user, client, offer }, dependencies);
  return { kind: "ask", request, client, offer, user, session, allowedAt };
}

async function allowedBefore(
  { user, client, offer }: { readonly user: User; readonly client: Client; readonly offer: Offer },
  { store, now }: Pick<ConsentDependencies, "store" | "now">,
): Promise<Date | undefined> {
  const { resource, scopes } = offer;
  if (resource === undefined) return undefined;
  const ids = { userId: user.id, clientId: client.id, resourceId: resource.id };
  const consent = await store.consents.find({ ...ids, now });
  return isCovered(consent, scopes, client) ? consent?.givenAt : undefined;
}

function goesWithoutAsking({ target, prompts }: StoredAuthorizationRequest): boolean {
  return target.kind === "redirect" && isProvenReceiver(target.redirectUri) && !prompts.includes("consent");
}

/** A user's answer to a question. */
export interface ConsentAnswer {
  readonly decision: "allow" | "deny";
  /** `shownDigest` of the scopes on the page. */
  readonly shown: string | undefined;
}

/** Digest of the scopes on a page. There can be more of them than fit a form. */
export function shownDigest(scopes: readonly string[]): string {
  return createHash("sha256").update(scopes.toSorted().join(" ")).digest("base64url");
}

/**
 * Takes the person's answer, once.
 *
 * Everything is judged again first: permission, account and session may have changed since the question. Nobody allows what the
 * page did not show, so when it would be something else, the question is asked again. What they allowed before is no answer to this one.
 */
export async function answerConsent(
  id: string,
  { answer, browser }: { readonly answer: ConsentAnswer; readonly browser: Browser },
  dependencies: ConsentDependencies,
): Promise<ConsentQuestion> {
  const question = await findQuestion(id, browser, dependencies);
  if (question.kind !== "ask") return question;
  const { request, session, user, client, offer } = question;
  if (answer.decision === "allow") {
    if (answer.shown !== shownDigest(offer.scopes)) return question;
    const decision = { kind: "allow", user, session, client, offer, remembered: false } as const;
    return await concludeRequest(request, decision, dependencies);
  }
  const error = new OAuthError("access_denied", "consent_refused", "The person denied the request.");
  return await concludeRequest(request, { kind: "deny", user, error, offer }, dependencies);
}
