import type { ServerContext } from "../../context.js";
import { findAccessRequest } from "../../person/access-requests/decide.js";
import { notFound } from "../../registry/refusal.js";
import type { AuditRecord } from "../../store/audit-events.js";
import type { ListedAccessRequest } from "../../store/access-requests.js";
import type { Store } from "../../store/store.js";
import { ownDecision } from "../assignments/deciding.js";
import { decides, hasRole, ownedOnly } from "../door/access.js";
import type { AdminCall, Caller } from "../door/call.js";
import { isoTime } from "../door/list-query.js";
import { explainToAdministrator } from "../explain/explain-to-administrator.js";
import type { AccessRequest, AccessRequestDetail } from "./schemas.js";

const maximumHolders = 10;
const maximumCalls = 10;
/** How many of a person's last events are searched for calls of one service. */
const maximumEvents = 100;

export function showAccessRequest(request: ListedAccessRequest, caller: Caller): AccessRequest {
  const { id, person, kind, target, targetName, reason, clientId, state, note, version } = request;
  return {
    id,
    person,
    kind,
    target,
    targetName,
    scopes: [...request.scopes],
    reason,
    clientId,
    state,
    grantedScopes: [...request.grantedScopes],
    expiresAt: request.expiresAt === null ? null : isoTime(request.expiresAt),
    note,
    decidedAt: request.decidedAt === null ? null : isoTime(request.decidedAt),
    createdAt: isoTime(request.createdAt),
    decidable: state === "pending" && mayDecide(request, caller),
    version,
  };
}

/** Whether the caller may decide a request that they see: an owner decides those of others. */
function mayDecide({ person }: ListedAccessRequest, caller: Caller): boolean {
  if (hasRole(caller, "administrator")) return true;
  return hasRole(caller, "owner") && caller.type === "user" && caller.user.id !== person.id;
}

/** @throws {AdminRefusal} `forbidden`: nobody decides about themselves. */
export function requireMayDecide(request: ListedAccessRequest, caller: Caller): void {
  if (!mayDecide(request, caller)) throw ownDecision();
}

/** An owner finds only requests for what they own. @throws {Refusal} `not_found` */
export async function findSeenRequest(
  store: Pick<Store, "accessRequests">,
  id: string,
  caller: Caller,
): Promise<ListedAccessRequest> {
  const request = await findAccessRequest(store, id);
  const { kind, target } = request;
  const owned = ownedOnly(caller);
  const theirs = kind === "service" ? owned?.services : kind === "connector" ? owned?.connectors : [];
  if (owned !== undefined && theirs?.some(({ key }) => key === target) !== true) {
    throw notFound("accessRequest");
  }
  return request;
}

/** A request with what is needed to decide. Directories are asked. */
export async function loadAccessRequestDetail(
  request: ListedAccessRequest,
  { context, caller }: Pick<AdminCall, "context" | "caller">,
): Promise<AccessRequestDetail> {
  const givable = request.scopes.filter((scope) => decides(caller, scope));
  const [explanation, holders, calls] = await Promise.all([
    explainRequest(request, context),
    Promise.all(request.scopes.map((scope) => findHolders(scope, request, context.store))),
    findCalls(request, context.store),
  ]);
  const shown = showAccessRequest(request, caller);
  return { ...shown, givable: shown.decidable ? givable : [], explanation, holders, calls };
}

async function explainRequest(
  { kind, target, targetName, scopes, person }: ListedAccessRequest,
  context: Pick<ServerContext, "store" | "directories">,
) {
  const known = (await context.store.scopes.findAll(scopes)).map(({ key }) => key);
  if (person.email === null || targetName === null || known.length === 0) return null;
  const resource = kind === "service" ? target : undefined;
  return await explainToAdministrator({ email: person.email, resource, scopes: known }, context);
}

async function findHolders(
  scope: string,
  { person }: ListedAccessRequest,
  { assignments }: Pick<Store, "assignments">,
): Promise<AccessRequestDetail["holders"][number]> {
  const [people, groups] = await Promise.all([
    assignments.listPeopleByScope(scope, maximumHolders + 1),
    assignments.listGroupsByScope(scope, maximumHolders),
  ]);
  return {
    scope,
    people: people.filter(({ email }) => email !== person.email).slice(0, maximumHolders),
    groups: groups.map(({ group }) => ({ provider: group.provider.key, key: group.key })),
  };
}

async function findCalls(
  { kind, target, person }: ListedAccessRequest,
  { auditSearch }: Pick<Store, "auditSearch">,
): Promise<AccessRequestDetail["calls"]> {
  // No call is about signing in with apps.
  if (kind === "installation") return [];
  const types =
    kind === "service" ? ["service.called", "service.call_denied"] : ["connection.used", "connection.denied"];
  const events = await auditSearch.find({
    types,
    subject: { id: person.id },
    limit: maximumEvents,
    terms: [],
  });
  const member = kind === "service" ? "resource" : "connector";
  return events
    .filter(({ data }) => data[member] === target)
    .slice(0, maximumCalls)
    .map(showCall);
}

function showCall({ at, type, outcome, clientId, data }: AuditRecord): AccessRequestDetail["calls"][number] {
  const text = (name: string) => (typeof data[name] === "string" ? data[name] : null);
  const { status } = data;
  return {
    at,
    type,
    outcome,
    clientId,
    method: text("method"),
    host: text("host"),
    path: text("pathTemplate"),
    status: typeof status === "number" ? status : null,
  };
}
