import { recordAudit } from "../../audit/record.js";
import { changeAssignments } from "../../registry/assignment.js";
import { fault } from "../../objects/check.js";
import { invalid, notFound, requireNone, requireVersion } from "../../registry/refusal.js";
import type { Work } from "../../registry/work.js";
import type { AccessDecision, AccessRequest, ListedAccessRequest } from "../../store/access-requests.js";
import type { Store } from "../../store/store.js";

/** Which of their requests a person withdraws, and through which app. */
export interface Withdrawal {
  readonly id: string;
  readonly userId: string;
  readonly clientId: string | null;
  readonly requestId: string;
  readonly now: Date;
}

/** Withdraws a person's own request. `undefined`: there is none, or it is decided. */
export async function withdraw(
  { id, userId, clientId, requestId, now }: Withdrawal,
  store: Store,
): Promise<AccessRequest | undefined> {
  return await store.transaction(async (tx) => {
    const own = await tx.accessRequests.findOwn({ id, userId });
    if (own === undefined) return undefined;
    const ending = {
      state: "withdrawn",
      grantedScopes: [],
      expiresAt: null,
      note: null,
      decidedBy: userId,
    } as const;
    const ended = await tx.accessRequests.decide({ id, version: own.version, ...ending });
    if (ended === undefined) return undefined;
    const { kind, target, scopes } = ended;
    await recordAudit(tx, {
      type: "access.withdrawn",
      outcome: "success",
      actor: { type: "user", id: userId },
      at: now,
      subject: userId,
      ...(clientId !== null && { clientId }),
      requestId,
      data: { request: id, kind, target, scopes },
    });
    return ended;
  });
}

/** Who decides, and which version of the request they saw. */
export interface DecisionBy {
  readonly decidedBy: string;
  readonly version: number;
}

/** What is granted of a request: everything that it asks for unless scopes are named, until then or for good. */
export interface Approval extends DecisionBy {
  readonly scopes: readonly string[] | undefined;
  readonly expiresAt: Date | undefined;
}

/** @throws {Refusal} `not_found` */
export async function findAccessRequest(
  store: Pick<Store, "accessRequests">,
  id: string,
): Promise<ListedAccessRequest> {
  const request = await store.accessRequests.find(id);
  if (request === undefined) throw notFound("accessRequest");
  return request;
}

/**
 * Grants what a person asked for: an assignment to their address for each permission, all of them or none.
 *
 * @throws {Refusal} `not_found`; `version_conflict`: it has changed; `invalid_request`: it is decided, among others
 */
export async function approveAccessRequest(
  id: string,
  { scopes, expiresAt, ...by }: Approval,
  work: Work,
): Promise<void> {
  const request = await findPending(id, by, work);
  const { email } = request.person;
  if (email === null) throw invalid(fault("", "noAddress"));
  const grantedScopes = scopes === undefined ? request.scopes : [...new Set(scopes)];
  requireNone(
    grantedScopes.flatMap((scope, index) =>
      request.scopes.includes(scope) ? [] : [fault(`scopes.${String(index)}`, "notRequested")],
    ),
  );
  const ending = { state: "approved", grantedScopes, expiresAt: expiresAt ?? null, note: null } as const;
  const { userId, kind, target } = await end(request, ending, by, work);
  await work.store.notifications.record([{ type: "access.approved", request: id }]);
  await changeAssignments(
    { create: grantedScopes.map((scope) => ({ email, scope, expiresAt })), remove: [] },
    work,
  );
  const until = expiresAt !== undefined && { expiresAt: expiresAt.toISOString() };
  await work.audit({
    type: "access.approved",
    subject: userId,
    data: { request: id, kind, target, scopes: grantedScopes, ...until },
  });
}

/**
 * Grants nothing; `note` tells the person why.
 *
 * @throws {Refusal} `not_found`; `version_conflict`: it has changed; `invalid_request`: it is decided
 */
export async function declineAccessRequest(
  id: string,
  { note, ...by }: DecisionBy & { readonly note: string | undefined },
  work: Work,
): Promise<void> {
  const request = await findPending(id, by, work);
  const ending = { state: "declined", grantedScopes: [], expiresAt: null, note: note ?? null } as const;
  const { userId, kind, target, scopes } = await end(request, ending, by, work);
  await work.store.notifications.record([{ type: "access.declined", request: id }]);
  await work.audit({
    type: "access.declined",
    subject: userId,
    data: { request: id, kind, target, scopes },
  });
}

async function findPending(id: string, by: DecisionBy, { store }: Work): Promise<ListedAccessRequest> {
  const request = await findAccessRequest(store, id);
  requireVersion(request, by.version);
  if (request.state !== "pending") throw invalid(fault("", "alreadyDecided"));
  return request;
}

/** The conditional update decides, not what was read before: of two concurrent decisions only one counts. */
async function end(
  request: ListedAccessRequest,
  ending: Pick<AccessDecision, "state" | "grantedScopes" | "expiresAt" | "note">,
  { decidedBy }: DecisionBy,
  { store }: Work,
): Promise<AccessRequest> {
  const { id, version } = request;
  const ended = await store.accessRequests.decide({ id, version, ...ending, decidedBy });
  if (ended !== undefined) return ended;
  throw invalid(fault("", "alreadyDecided"));
}
