import { recordAudit } from "../../../audit/record.js";
import type { AuditEvent } from "../../../audit/events.js";
import type { RefusalRecord } from "../../../audit/refusals.js";
import type { AuthorizationCode } from "../../../store/authorization-codes.js";
import type { AnswerTarget, StoredAuthorizationRequest } from "../../../store/authorization-requests.js";
import type { BrowserSession } from "../../../store/browser-sessions.js";
import type { DeviceAnswer } from "../../../store/device-authorizations.js";
import type { Store } from "../../../store/store.js";
import type { User } from "../../../store/users.js";
import { codeResponse, errorResponse } from "../authorize/response.js";
import type { OAuthError } from "../../../protocol/oauth-error.js";
import { createSecret, hashSecret } from "../../../protocol/secrets.js";
import { lifetimes } from "../../../protocol/vocabulary.js";

/** How a request ends: a person allows or denies it, or the server refuses it. */
export type Decision =
  | { readonly kind: "allow"; readonly user: User; readonly session: BrowserSession }
  | { readonly kind: "deny"; readonly user: User; readonly error: OAuthError }
  | { readonly kind: "refuse"; readonly user: User | undefined; readonly error: OAuthError };

/** What the browser does next: nothing is left to answer, back to the client, or a page about the device. */
export type ConsentEnd =
  | { readonly kind: "over" }
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "device"; readonly decision: Decision };

export interface ConclusionDependencies {
  readonly store: Store;
  readonly refusals: RefusalRecord;
  readonly issuer: string;
  readonly now: Date;
  readonly requestId: string;
}

/** Ends a request, once, and tells whoever waits for it. */
export async function concludeRequest(
  request: StoredAuthorizationRequest,
  decision: Decision,
  dependencies: ConclusionDependencies,
): Promise<ConsentEnd> {
  const { store, refusals, issuer, now } = dependencies;
  const { id, browserHash, target } = request;
  const code = decision.kind === "allow" && target.kind === "redirect" ? createSecret() : undefined;

  const event = toEvent(request, decision, dependencies);
  const isRecorded = event !== undefined && (event.type === "consent.given" || (await refusals.admit(event)));
  const concluded = await store.transaction(async (transaction) => {
    if (!(await transaction.authorizationRequests.answer({ id, browserHash, now }))) return false;
    if (target.kind === "device") {
      const answer = deviceAnswer(decision);
      if (!(await transaction.deviceAuthorizations.answer({ id: target.deviceId, answer, now })))
        return false;
    } else if (code !== undefined && decision.kind === "allow") {
      await transaction.authorizationCodes.insert(
        createCode(code, { request, target, session: decision.session, now }),
      );
    }
    if (isRecorded) await recordAudit(transaction, event);
    return true;
  });
  if (!concluded) return { kind: "over" };
  if (target.kind === "device") return { kind: "device", decision };
  const address = { redirectUri: target.redirectUri, state: target.state ?? undefined };
  if (decision.kind !== "allow") {
    return { kind: "redirect", location: errorResponse(address, issuer, decision.error) };
  }
  return { kind: "redirect", location: codeResponse(address, issuer, code ?? "") };
}

function deviceAnswer(decision: Decision): DeviceAnswer {
  if (decision.kind !== "allow") return { kind: "denied", userId: decision.user?.id ?? null };
  const { userId, authTime, amr } = decision.session;
  return { kind: "allowed", userId, authTime, amr };
}

type ConsentEvent = Extract<
  AuditEvent,
  { type: "consent.given" | "consent.refused" | "authorization.refused" }
>;

/** Nothing is recorded about somebody who is not known. */
function toEvent(
  { clientId, scopes, dpopJkt: jkt }: StoredAuthorizationRequest,
  decision: Decision,
  { now: at, requestId }: ConclusionDependencies,
): ConsentEvent | undefined {
  const { user } = decision;
  if (user === undefined) return undefined;
  const actor = { type: "user", id: user.id } as const;
  const envelope = { actor, at, subject: user.id, clientId, requestId };
  if (decision.kind === "refuse") {
    const { code: error, reason } = decision.error;
    return { ...envelope, type: "authorization.refused", outcome: "denied", data: { error, reason } };
  }
  const data = { scopes, jkt };
  return decision.kind === "allow"
    ? { ...envelope, type: "consent.given", outcome: "success", data }
    : { ...envelope, type: "consent.refused", outcome: "denied", data };
}

function createCode(
  code: string,
  {
    request,
    target,
    session,
    now,
  }: {
    readonly request: StoredAuthorizationRequest;
    readonly target: Extract<AnswerTarget, { kind: "redirect" }>;
    readonly session: BrowserSession;
    readonly now: Date;
  },
): AuthorizationCode {
  return {
    hash: hashSecret(code),
    clientId: request.clientId,
    userId: session.userId,
    redirectUri: target.redirectUri,
    resourceId: request.resourceId,
    scopes: request.scopes,
    nonce: target.nonce,
    codeChallenge: target.codeChallenge,
    dpopJkt: request.dpopJkt,
    authTime: session.authTime,
    amr: session.amr,
    createdAt: now,
    expiresAt: new Date(now.getTime() + lifetimes.authorizationCode * 1000),
    usedAt: null,
    grantId: null,
  };
}
