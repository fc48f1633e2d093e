import { randomUUID } from "node:crypto";
import { recordAudit } from "../../audit/record.js";
import { type Decision, decide, type MissingScope } from "../../permissions/decide.js";
import type { Permissions } from "../../permissions/effective-scopes.js";
import type { GroupDirectories } from "../../permissions/groups/directories.js";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import { loadPermissions } from "../../permissions/load-permissions.js";
import {
  type AccessRequest,
  type AccessTarget,
  installationTarget,
  longestReason,
  mostPending,
} from "../../store/access-requests.js";
import type { Connector } from "../../store/connectors.js";
import type { Resource } from "../../store/resources.js";
import type { Scope } from "../../store/scopes.js";
import type { Store } from "../../store/store.js";
import { agentsScope, loginScope } from "../../store/system-scopes.js";
import type { User } from "../../store/users.js";
import { isVisibleText } from "../../text/short-text.js";
import { findConnector, findResource, findResourceAt, readAddress } from "../find.js";

/** Why nothing was requested. */
export type AskProblem =
  | "unknown_target"
  | "unknown_scope"
  | "invalid_reason"
  | "nothing_missing"
  | "cannot_be_given"
  | "too_many_requests";

/** Nothing was requested; the message is in English. */
export class AskError extends Error {
  override readonly name = "AskError";
  readonly code: AskProblem;
  /** What the problem is about. */
  readonly scopes: readonly string[];
  constructor(code: AskProblem, message: string, scopes: readonly string[] = []) {
    super(message);
    this.code = code;
    this.scopes = scopes;
  }
}

/** Where permissions can be requested, and which. */
export interface Requestable {
  readonly target: AccessTarget;
  /** Every scope that can be requested there. */
  readonly offered: readonly string[];
  readonly resource?: Resource;
}

/** This installation itself: signing in with apps and agent hosts. */
export const requestableLogin: Requestable = {
  target: installationTarget,
  offered: [loginScope, agentsScope],
};

/** `undefined`: there is no such service, or it is disabled. */
export function requestableAt(resource: Resource | undefined): Requestable | undefined {
  if (resource?.enabled !== true) return undefined;
  const { key, builtIn, supportedScopes: offered } = resource;
  // What agents use is at this installation itself.
  if (builtIn) return { target: installationTarget, offered };
  return { target: { kind: "service", target: key }, offered, resource };
}

/** `undefined`: there is no such connector, or it is disabled. */
export function requestableThrough(connector: Connector | undefined): Requestable | undefined {
  if (connector?.enabled !== true) return undefined;
  return { target: { kind: "connector", target: connector.key }, offered: connector.requiredScopes };
}

/** A service by its key or by an address that it covers, or a connector by its key. */
export type NamedTarget =
  | { readonly resource: string }
  | { readonly url: string }
  | { readonly connector: string };

export async function findRequestable(
  named: NamedTarget,
  store: Pick<Store, "connectors" | "resources">,
): Promise<Requestable | undefined> {
  if ("connector" in named) return requestableThrough(await findConnector(named.connector, store));
  if ("resource" in named) return requestableAt(await findResource(named.resource, store));
  return requestableAt(await findResourceAt(readAddress(named.url), store));
}

/** Whether an assignment is all that is missing. */
export function isRequestable({ reason }: Pick<MissingScope, "reason">): boolean {
  return reason === "not_assigned";
}

/** The missing scopes that can be requested and are not in the pending request. */
export function openScopes(
  missing: readonly MissingScope[],
  last: AccessRequest | undefined,
): readonly string[] {
  const pending = last?.state === "pending" ? last.scopes : [];
  return missing.flatMap((each) =>
    isRequestable(each) && !pending.includes(each.scope) ? [each.scope] : [],
  );
}

/** What a person has and lacks at a target, and the state of their request. */
export interface AccessStatus extends Pick<Decision, "granted" | "missing"> {
  /** Everything that can be requested, requested already or not, as the registry describes it. */
  readonly requestable: readonly Pick<Scope, "key" | "description">[];
  /** Whether some of that is in no pending request. */
  readonly open: boolean;
  /** The request that is pending, or was decided last. */
  readonly last: AccessRequest | undefined;
}

/** @param question.scopes - default: all that the target offers */
export async function loadAccessStatus(
  question: {
    readonly permissions: Permissions;
    readonly at: Requestable;
    readonly scopes?: readonly string[];
  },
  store: Pick<Store, "accessRequests" | "scopes">,
): Promise<AccessStatus> {
  const { permissions, at, scopes = at.offered } = question;
  const { resource, target } = at;
  const { granted, missing } = decide({ permissions, scopes, ...(resource && { resource }) });
  const keys = missing.filter(isRequestable).map(({ scope }) => scope);
  const [known, last] = await Promise.all([
    store.scopes.findAll(keys),
    store.accessRequests.findLast(permissions.user.id, target),
  ]);
  const words = new Map(known.map(({ key, description }) => [key, description]));
  const requestable = keys.map((key) => ({ key, description: words.get(key) ?? key }));
  return { granted, missing, requestable, open: openScopes(missing, last).length > 0, last };
}

export interface AccessQuestion {
  readonly user: User;
  /** `undefined`: what the person named is not there. */
  readonly at: Requestable | undefined;
  /** Empty: everything that is missing. */
  readonly scopes: readonly string[];
  readonly reason: string;
  /** The app through which the person asks, and its grant; `null`: a page of this server. */
  readonly clientId: string | null;
  readonly grantId: string | null;
  readonly requestId: string;
  /** Runs in the same transaction, before the request is stored; what it throws undoes both. */
  readonly claim?: (tx: Store) => Promise<void>;
}

export interface AskContext {
  readonly store: Store;
  readonly directories: GroupDirectories;
  readonly now: Date;
}

/**
 * Requests what a person lacks at an enabled service, to use an enabled connector, or to sign in with apps. While a request for the
 * same target is pending, it grows and its reason is replaced.
 *
 * Only what the person lacks counts, not what the app may be given: no assignment widens an app.
 *
 * @returns The request, and what of the scopes the person holds already.
 * @throws {AskError} Nothing was requested.
 * @throws {OAuthError} `temporarily_unavailable`: a directory that does not answer may give it.
 */
export async function ask(
  question: AccessQuestion,
  { store, directories, now }: AskContext,
): Promise<{ readonly request: AccessRequest; readonly held: readonly string[] }> {
  const { user, at } = question;
  const reason = readReason(question.reason);
  if (at === undefined)
    throw new AskError("unknown_target", "There is no such service or connection among those you can see.");
  const { offered, resource } = at;
  const scopes = question.scopes.length > 0 ? [...new Set(question.scopes)] : offered;
  const unknown = scopes.filter((scope) => !offered.includes(scope));
  if (unknown.length > 0)
    throw new AskError("unknown_scope", `It has no such permission: ${unknown.join(", ")}.`, unknown);
  const permissions = await loadPermissions(user, { store, directories });
  const { granted, missing } = decide({ permissions, scopes, ...(resource && { resource }) });
  const held = granted.map(({ scope }) => scope);
  const wanted = missing.filter(isRequestable).map(({ scope }) => scope);
  if (wanted.length === 0) throw nothingToRequest(held, missing);
  const request = await storeRequest({ ...question, at, scopes: wanted.toSorted(), reason }, { store, now });
  return { request, held };
}

async function storeRequest(
  {
    user,
    at: { target },
    scopes,
    reason,
    clientId,
    grantId,
    requestId,
    claim,
  }: AccessQuestion & {
    readonly at: Requestable;
  },
  { store, now }: Pick<AskContext, "store" | "now">,
): Promise<AccessRequest> {
  const request = await store.transaction(async (tx) => {
    await claim?.(tx);
    const id = randomUUID();
    const own = { id, userId: user.id, ...target, scopes, reason, clientId, grantId, createdAt: now };
    const stored = await tx.accessRequests.ask(own);
    if (stored === undefined) return undefined;
    // Administrators were notified of a request that grows when it began.
    if (stored.id === id) await tx.notifications.record([{ type: "access.requested", request: id }]);
    await recordAudit(tx, {
      type: "access.requested",
      outcome: "success",
      actor: { type: "user", id: user.id },
      at: now,
      subject: user.id,
      ...(clientId !== null && { clientId }),
      requestId,
      data: { request: stored.id, ...target, scopes: stored.scopes },
    });
    return stored;
  });
  if (request !== undefined) return request;
  const message = `You wait for ${String(mostPending)} answers already. Withdraw a request first.`;
  throw new AskError("too_many_requests", message);
}

function nothingToRequest(held: readonly string[], missing: readonly MissingScope[]): Error {
  if (missing.length === 0)
    return new AskError("nothing_missing", "You have everything that you ask for.", held);
  if (missing.some(({ reason }) => reason === "directory_unavailable")) return directoryAway();
  const scopes = missing.map(({ scope }) => scope);
  return new AskError("cannot_be_given", "No assignment can give this to you now.", scopes);
}

/** A text of a person for a person: trimmed, lines end with `\n`; `undefined` when empty, too long, or with invisible characters. */
export function readText(text: string): string | undefined {
  const trimmed = text.replaceAll("\r\n", "\n").trim();
  if (trimmed === "" || trimmed.length > longestReason) return undefined;
  return isVisibleText(trimmed.replaceAll("\n", " ")) ? trimmed : undefined;
}

/** @throws {AskError} `invalid_reason` */
function readReason(text: string): string {
  const reason = readText(text);
  if (reason !== undefined) return reason;
  const message = `The reason must have 1 to ${String(longestReason)} characters, none of them a control or invisible character.`;
  throw new AskError("invalid_reason", message);
}
