import type { AccessDecision, AccessRequest, ListedAccessRequest } from "../store/access-requests.js";
import type { Store } from "../store/store.js";
import { changeAssignments } from "./assignment.js";
import { fault, invalid, notFound, requireNone, requireVersion } from "./refusal.js";
import type { Work } from "./work.js";

/** Who decides, and which version of the request they saw. */
export interface DecisionBy {
  readonly decidedBy: string;
  readonly version: number;
}

/** What is given of a request: everything that it asks for unless scopes are named, until then or for good. */
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
 * Gives what somebody asked for: an assignment to their address for each permission, all of them or nothing.
 *
 * @throws {Refusal} `not_found`; `version_conflict`: it has changed, or somebody has decided; `invalid_request`
 */
export async function approveAccessRequest(
  id: string,
  { scopes, expiresAt, ...by }: Approval,
  work: Work,
): Promise<void> {
  const request = await findPending(id, by, work);
  const { email } = request.person;
  if (email === null) throw invalid(fault("", "noAddress"));
  const given = scopes === undefined ? request.scopes : [...new Set(scopes)];
  requireNone(
    given.flatMap((scope, index) =>
      request.scopes.includes(scope) ? [] : [fault(`scopes.${String(index)}`, "notRequested")],
    ),
  );
  const ended = await end(
    request,
    { state: "approved", given, expiresAt: expiresAt ?? null, word: null },
    by,
    work,
  );
  await work.store.notifications.record([{ type: "access.approved", request: id }]);
  await changeAssignments({ create: given.map((scope) => ({ email, scope, expiresAt })), remove: [] }, work);
  const until = expiresAt !== undefined && { expiresAt: expiresAt.toISOString() };
  await work.audit({
    type: "access.approved",
    subject: ended.userId,
    data: { request: id, kind: ended.kind, target: ended.target, scopes: given, ...until },
  });
}

/**
 * Gives nothing, and says why.
 *
 * @throws {Refusal} `not_found`; `version_conflict`: it has changed, or somebody has decided
 */
export async function declineAccessRequest(
  id: string,
  { word, ...by }: DecisionBy & { readonly word: string | undefined },
  work: Work,
): Promise<void> {
  const request = await findPending(id, by, work);
  const ending = { state: "declined", given: [], expiresAt: null, word: word ?? null } as const;
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

/** The statement decides, not what was read before: of two decisions at the same moment only one counts. */
async function end(
  request: ListedAccessRequest,
  ending: Pick<AccessDecision, "state" | "given" | "expiresAt" | "word">,
  { decidedBy }: DecisionBy,
  { store }: Work,
): Promise<AccessRequest> {
  const { id, version } = request;
  const ended = await store.accessRequests.decide({ id, version, ...ending, decidedBy });
  if (ended !== undefined) return ended;
  throw invalid(fault("", "alreadyDecided"));
}
