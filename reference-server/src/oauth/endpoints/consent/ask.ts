import type { GroupDirectories } from "../../../permissions/groups/directories.js";
import type { Browser } from "../../../sign-in/browser.js";
import type { StoredAuthorizationRequest } from "../../../store/authorization-requests.js";
import type { BrowserSession } from "../../../store/browser-sessions.js";
import { type Client, mayAct } from "../../../store/clients.js";
import type { User } from "../../../store/users.js";
import { considerAuthorization } from "../authorize/situation.js";
import { paths } from "../../../protocol/vocabulary.js";
import { type ConclusionDependencies, type ConsentEnd, concludeRequest } from "./conclude.js";

export interface ConsentDependencies extends ConclusionDependencies {
  readonly directories: GroupDirectories;
}

/** What to show to a browser that comes with an authorization request. */
export type ConsentQuestion =
  | ConsentEnd
  | {
      readonly kind: "ask";
      readonly request: StoredAuthorizationRequest;
      readonly client: Client;
      readonly user: User;
      readonly session: BrowserSession;
      readonly installationName: string;
    };

/**
 * Leads a request on: to the sign-in, to its end with a refusal, or to the question itself.
 *
 * @throws {OAuthError} `temporarily_unavailable`: nobody can say now whether the person may; the request stays open.
 */
export async function askForConsent(
  id: string,
  browser: Browser,
  dependencies: ConsentDependencies,
): Promise<ConsentQuestion> {
  const { store, now } = dependencies;
  const request = await store.authorizationRequests.findOpen({ id, browserHash: browser.hash, now });
  const client = request && (await store.clients.find(request.clientId));
  if (request === undefined || client === undefined || !mayAct(client)) return { kind: "over" };

  const { step, user, installationName } = await considerAuthorization(request, browser, dependencies);
  if (step.kind === "sign-in") {
    const prompt = step.prompt === undefined ? "" : `&prompt=${step.prompt}`;
    return { kind: "redirect", location: `${paths.signIn}?request=${request.id}${prompt}` };
  }
  if (step.kind === "refuse") {
    return await concludeRequest(request, { kind: "refuse", user, error: step.error }, dependencies);
  }
  if (step.kind === "unavailable") throw step.error;
  if (user === undefined || browser.session === undefined) return { kind: "over" };
  return { kind: "ask", request, client, user, session: browser.session, installationName };
}
