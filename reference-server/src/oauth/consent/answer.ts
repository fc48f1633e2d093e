import { recordAudit } from "../../audit/record.js";
import type { Browser } from "../../login/browser.js";
import type { AuthorizationCode } from "../../store/authorization-codes.js";
import type { StoredAuthorizationRequest } from "../../store/authorization-requests.js";
import type { BrowserSession } from "../../store/browser-sessions.js";
import { codeResponse, errorResponse } from "../authorize/response.js";
import { OAuthError } from "../oauth-error.js";
import { createSecret, hashSecret } from "../secrets.js";
import { lifetimes } from "../vocabulary.js";
import { askForConsent, type ConsentDependencies, type ConsentQuestion, responseTarget } from "./ask.js";

export type ConsentAnswer = "allow" | "deny";

/**
 * Takes the person's answer, once, and returns the address that tells the client.
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
  const { request, session, user } = question;
  const { store, issuer, now, requestId } = dependencies;
  const code = answer === "allow" ? createSecret() : undefined;

  const answered = await store.transaction(async (transaction) => {
    if (!(await transaction.authorizationRequests.answer({ id, browserHash: browser.hash, now })))
      return false;
    if (code !== undefined)
      await transaction.authorizationCodes.insert(createCode(code, { request, session, now }));
    await recordAudit(transaction, {
      type: code === undefined ? "consent.refused" : "consent.given",
      outcome: code === undefined ? "denied" : "success",
      actor: { type: "user", id: user.id },
      at: now,
      subject: user.id,
      clientId: request.clientId,
      requestId,
      data: { scopes: request.scopes, jkt: request.dpopJkt },
    });
    return true;
  });
  if (!answered) return { kind: "over" };
  const target = responseTarget(request);
  const location =
    code === undefined ? errorResponse(target, issuer, consentRefused()) : codeResponse(target, issuer, code);
  return { kind: "redirect", location };
}

function consentRefused(): OAuthError {
  return new OAuthError("access_denied", "consent_refused", "The person denied the request.");
}

function createCode(
  code: string,
  { request, session, now }: { request: StoredAuthorizationRequest; session: BrowserSession; now: Date },
): AuthorizationCode {
  return {
    hash: hashSecret(code),
    clientId: request.clientId,
    userId: session.userId,
    redirectUri: request.redirectUri,
    scopes: request.scopes,
    nonce: request.nonce,
    codeChallenge: request.codeChallenge,
    dpopJkt: request.dpopJkt,
    authTime: session.authTime,
    amr: session.amr,
    createdAt: now,
    expiresAt: new Date(now.getTime() + lifetimes.authorizationCode * 1000),
    usedAt: null,
    grantId: null,
  };
}
