import type { Browser } from "../../../sign-in/browser.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { askForConsent, type ConsentDependencies, type ConsentQuestion } from "./ask.js";
import { concludeRequest } from "./conclude.js";

export type ConsentAnswer = "allow" | "deny";

/**
 * Takes the person's answer, once.
 *
 * Everything is judged again first: permission, account and session may have changed since the question.
 */
export async function answerConsent(
  id: string,
  { answer, browser }: { readonly answer: ConsentAnswer; readonly browser: Browser },
  dependencies: ConsentDependencies,
): Promise<Exclude<ConsentQuestion, { kind: "ask" }>> {
  const question = await askForConsent(id, browser, dependencies);
  if (question.kind !== "ask") return question;
  const { request, session, user, client, offer } = question;
  if (answer === "allow") {
    const decision = { kind: "allow", user, session, client, offer, remembered: false } as const;
    return await concludeRequest(request, decision, dependencies);
  }
  const error = new OAuthError("access_denied", "consent_refused", "The person denied the request.");
  return await concludeRequest(request, { kind: "deny", user, error, offer }, dependencies);
}
