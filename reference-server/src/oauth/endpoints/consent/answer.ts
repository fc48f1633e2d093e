import { createHash } from "node:crypto";
import type { Browser } from "../../../sign-in/browser.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { type ConsentDependencies, type ConsentQuestion, findQuestion } from "./ask.js";
import { concludeRequest } from "./conclude.js";

/** What a person says to a question. */
export interface ConsentAnswer {
  readonly decision: "allow" | "deny";
  /** What the page showed them, as `shownDigest` of its scopes. */
  readonly shown: string | undefined;
}

/** Tells scopes that a page showed from others. There can be more of them than a form takes. */
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
