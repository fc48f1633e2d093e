import { recordAudit } from "../../audit/record.js";
import type { GroupDirectories } from "../../groups/directories.js";
import type { Browser } from "../../login/browser.js";
import type { StoredAuthorizationRequest } from "../../store/authorization-requests.js";
import type { BrowserSession } from "../../store/browser-sessions.js";
import type { Client } from "../../store/clients.js";
import type { Store } from "../../store/store.js";
import type { User } from "../../store/users.js";
import { errorResponse } from "../authorize/response.js";
import { considerAuthorization } from "../authorize/situation.js";
import type { OAuthError } from "../oauth-error.js";
import { paths } from "../vocabulary.js";

export interface ConsentDependencies {
  readonly store: Store;
  readonly directories: GroupDirectories;
  readonly issuer: string;
  readonly now: Date;
  readonly requestId: string;
}

/** What to show to a browser that comes with an authorization request. */
export type ConsentQuestion =
  | { readonly kind: "over" }
  | { readonly kind: "redirect"; readonly location: string }
  | {
      readonly kind: "ask";
      readonly request: StoredAuthorizationRequest;
      readonly client: Client;
      readonly user: User;
      readonly session: BrowserSession;
      readonly installationName: string;
    };

/** Leads a request on: to the sign-in, back to the client with a refusal, or to the question itself. */
export async function askForConsent(
  id: string,
  browser: Browser,
  dependencies: ConsentDependencies,
): Promise<ConsentQuestion> {
  const { store, now } = dependencies;
  const request = await store.authorizationRequests.findOpen({ id, browserHash: browser.hash, now });
  const client = request && (await store.clients.find(request.clientId));
  if (request === undefined || client === undefined || !client.enabled) return { kind: "over" };

  const { step, user, installationName } = await considerAuthorization(request, browser, dependencies);
  if (step.kind === "sign-in") {
    const prompt = step.prompt === undefined ? "" : `&prompt=${step.prompt}`;
    return { kind: "redirect", location: `${paths.signIn}?request=${request.id}${prompt}` };
  }
  if (step.kind === "refuse") {
    const location = await refuseAuthorization(request, { error: step.error, user, browser }, dependencies);
    return location === undefined ? { kind: "over" } : { kind: "redirect", location };
  }
  if (user === undefined || browser.session === undefined) return { kind: "over" };
  return { kind: "ask", request, client, user, session: browser.session, installationName };
}

/** Ends a request with an error. `undefined` when somebody else has ended it meanwhile. */
export async function refuseAuthorization(
  request: StoredAuthorizationRequest,
  refusal: { readonly error: OAuthError; readonly user: User | undefined; readonly browser: Browser },
  { store, issuer, now, requestId }: ConsentDependencies,
): Promise<string | undefined> {
  const { error, user, browser } = refusal;
  const answered = await store.transaction(async (transaction) => {
    if (!(await transaction.authorizationRequests.answer({ id: request.id, browserHash: browser.hash, now })))
      return false;
    if (user === undefined) return true;
    await recordAudit(transaction, {
      type: "authorization.refused",
      outcome: "denied",
      actor: { type: "user", id: user.id },
      at: now,
      subject: user.id,
      clientId: request.clientId,
      requestId,
      data: { error: error.code, reason: error.reason },
    });
    return true;
  });
  return answered ? errorResponse(responseTarget(request), issuer, error) : undefined;
}

/** Where the answer to a stored request goes. */
export function responseTarget(request: StoredAuthorizationRequest): {
  redirectUri: string;
  state: string | undefined;
} {
  return { redirectUri: request.redirectUri, state: request.state ?? undefined };
}
