import { createHash } from "node:crypto";
import type { AuditEvent } from "../../../audit/events.js";
import { recordAudit } from "../../../audit/record.js";
import type { RefusalRecord } from "../../../audit/refusals.js";
import type { OAuthError } from "../../../protocol/oauth-error.js";
import { createSecret, hashSecret } from "../../../protocol/secrets.js";
import { lifetimes } from "../../../protocol/vocabulary.js";
import type { AuthorizationCode } from "../../../store/authorization-codes.js";
import type { AnswerTarget, StoredAuthorizationRequest } from "../../../store/authorization-requests.js";
import type { BrowserSession } from "../../../store/browser-sessions.js";
import type { Client } from "../../../store/clients.js";
import type { Consent } from "../../../store/consents.js";
import type { DeviceAnswer } from "../../../store/device-authorizations.js";
import type { Store } from "../../../store/store.js";
import type { User } from "../../../store/users.js";
import { codeResponse, errorResponse } from "../authorize/request.js";
import type { Offer } from "../authorize/situation.js";

/** How a request ends: its user allows or denies it, or the server refuses it. */
export type Decision =
  | {
      readonly kind: "allow";
      readonly user: User;
      readonly session: BrowserSession;
      readonly client: Client;
      readonly offer: Offer;
      /** Allowed earlier, and not asked again. */
      readonly remembered: boolean;
    }
  | { readonly kind: "deny"; readonly user: User; readonly error: OAuthError; readonly offer: Offer }
  | {
      readonly kind: "refuse";
      readonly user: User | undefined;
      readonly error: OAuthError;
      /** The user lacks permissions, and may request them. */
      readonly lacks: boolean;
    };

/** The browser's next step: none, back to the client, or a page about the device. */
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

/** Ends a request, once, and answers the waiting client or device. */
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
    const refusedUserId = decision.kind === "refuse" && decision.lacks ? decision.user?.id : undefined;
    if (!(await transaction.authorizationRequests.answer({ id, browserHash, now, refusedUserId })))
      return false;
    if (target.kind === "device") {
      const answer = deviceAnswer(decision);
      const scopes = decision.kind === "allow" ? decision.offer.scopes : request.scopes;
      const { deviceId } = target;
      if (!(await transaction.deviceAuthorizations.answer({ id: deviceId, answer, scopes, now })))
        return false;
    } else if (code !== undefined && decision.kind === "allow") {
      await transaction.authorizationCodes.insert(
        createCode(code, { request, target, allowed: decision, now }),
      );
    }
    if (decision.kind === "allow") await remember(decision, { store: transaction, now });
    if (decision.kind === "deny") await forget(decision, { store: transaction, clientId: request.clientId });
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

/** The audit event of a decision; none without a known user. */
function toEvent(
  { clientId, dpopJkt: jkt }: StoredAuthorizationRequest,
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
  const { resource, scopes } = decision.offer;
  const data = { ...(resource !== undefined && { resource: resource.resource }), scopes, jkt };
  if (decision.kind === "deny") return { ...envelope, type: "consent.refused", outcome: "denied", data };
  const mark = decision.remembered ? ({ remembered: true } as const) : {};
  return { ...envelope, type: "consent.given", outcome: "success", data: { ...data, ...mark } };
}

/** Saves the consent, so that the same is not asked again. */
async function remember(
  { user, client, offer, remembered }: Extract<Decision, { kind: "allow" }>,
  { store, now }: { readonly store: Store; readonly now: Date },
): Promise<void> {
  const { resource, scopes } = offer;
  if (resource === undefined || remembered) return;
  await store.consents.save({
    userId: user.id,
    clientId: client.id,
    resourceId: resource.id,
    scopes,
    clientDigest: clientDigest(client),
    givenAt: now,
  });
}

/** Removes an earlier consent, so that the user is asked the next time. */
async function forget(
  { user, offer: { resource } }: Extract<Decision, { kind: "deny" }>,
  { store, clientId }: { readonly store: Store; readonly clientId: string },
): Promise<void> {
  if (resource === undefined) return;
  await store.consents.forget({ userId: user.id, clientId, resourceId: resource.id });
}

function createCode(
  code: string,
  {
    request,
    target,
    allowed: { session, offer },
    now,
  }: {
    readonly request: StoredAuthorizationRequest;
    readonly target: Extract<AnswerTarget, { kind: "redirect" }>;
    readonly allowed: Extract<Decision, { kind: "allow" }>;
    readonly now: Date;
  },
): AuthorizationCode {
  return {
    hash: hashSecret(code),
    clientId: request.clientId,
    userId: session.userId,
    redirectUri: target.redirectUri,
    resourceId: request.resourceId,
    scopes: offer.scopes,
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

/** Digest of the redirect URIs and keys of a client. A consent counts while they are the same. */
function clientDigest({ redirectUris, keys }: Pick<Client, "redirectUris" | "keys">): Buffer {
  const thumbs = keys.map(({ publicJwk: { x, y } }) => `${x}.${y}`);
  return createHash("sha256")
    .update(JSON.stringify([redirectUris.toSorted(), thumbs.toSorted()]))
    .digest();
}

/** Whether an earlier consent to the same client covers all of these scopes. Pure. */
export function isCovered(consent: Consent | undefined, wanted: readonly string[], client: Client): boolean {
  if (consent === undefined || !consent.clientDigest.equals(clientDigest(client))) return false;
  return wanted.every((scope) => consent.scopes.includes(scope));
}

/**
 * Whether only the client itself can receive the answer. Any program on the user's computer can listen on a loopback address or claim a
 * scheme, so there an earlier consent is shown and asked for again (RFC 8252 §8.6).
 */
export function isProvenReceiver(redirectUri: string): boolean {
  return redirectUri.startsWith("https:");
}
