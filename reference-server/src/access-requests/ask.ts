import { randomUUID } from "node:crypto";
import { recordAudit } from "../audit/record.js";
import { decide, type MissingScope } from "../permissions/decide.js";
import { directoryAway } from "../permissions/groups/directory-away.js";
import { loadPermissions } from "../permissions/load-permissions.js";
import type { GroupDirectories } from "../permissions/groups/directories.js";
import { type AccessRequest, mostPending } from "../store/access-requests.js";
import type { Store } from "../store/store.js";
import type { User } from "../store/users.js";
import { AskError } from "./ask-error.js";
import { readReason } from "./reason.js";
import { findTarget, type WantedTarget } from "./target.js";

export interface AskWish {
  readonly user: User;
  readonly wanted: WantedTarget;
  /** Absent or empty: everything that is missing. */
  readonly scopes: readonly string[];
  readonly reason: string;
  /** The app through which the person asks, and its grant; `null`: a page of this server. */
  readonly clientId: string | null;
  readonly grantId: string | null;
  readonly requestId: string;
  /** Uses up what entitles to ask, with the request or not at all; what it throws undoes both. */
  readonly claim?: (tx: Store) => Promise<void>;
}

export interface AskSources {
  readonly store: Store;
  readonly directories: GroupDirectories;
  readonly now: Date;
}

/** What was asked for, and what of the wish the person has already. */
export interface Asked {
  readonly request: AccessRequest;
  readonly held: readonly string[];
}

/**
 * Asks administrators for what a person lacks at an enabled service, to use an enabled connector, or to sign in with apps. While a request
 * for the same target is pending, it grows and its reason is replaced.
 *
 * What counts is what the person lacks, whatever the app may be given: no assignment widens an app.
 *
 * @throws {AskError} Nothing was asked for.
 * @throws {OAuthError} `temporarily_unavailable`: a directory that does not answer may give it.
 */
export async function ask(wish: AskWish, { store, directories, now }: AskSources): Promise<Asked> {
  const { user, clientId, grantId, requestId, claim } = wish;
  const reason = readReason(wish.reason);
  const found = findTarget(wish.wanted);
  if (found === undefined)
    throw new AskError("unknown_target", "There is no such service or connection among those you can see.");
  const { target, offered, resource } = found;
  const scopes = wish.scopes.length > 0 ? [...new Set(wish.scopes)] : offered;
  const strange = scopes.filter((scope) => !offered.includes(scope));
  if (strange.length > 0)
    throw new AskError("unknown_scope", `It has no such permission: ${strange.join(", ")}.`, strange);
  const permissions = await loadPermissions(user, { store, directories });
  const { granted, missing } = decide({ permissions, scopes, ...(resource && { resource }) });
  const held = granted.map(({ scope }) => scope);
  const wanted = missing.filter(isRequestable).map(({ scope }) => scope);
  if (wanted.length === 0) throw nothingToAsk(held, missing);
  const request = await store.transaction(async (tx) => {
    await claim?.(tx);
    const id = randomUUID();
    const stored = await tx.accessRequests.ask({
      id,
      userId: user.id,
      ...target,
      scopes: wanted.toSorted(),
      reason,
      clientId,
      grantId,
      createdAt: now,
    });
    if (stored === undefined) return undefined;
    // A request that grows is the one that they know already.
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
  if (request === undefined) {
    const message = `You wait for ${String(mostPending)} answers already. Withdraw a request first.`;
    throw new AskError("too_many_requests", message);
  }
  return { request, held };
}

/** Whether an assignment is all that is missing. */
export function isRequestable({ reason }: Pick<MissingScope, "reason">): boolean {
  return reason === "not_assigned";
}

function nothingToAsk(held: readonly string[], missing: readonly MissingScope[]): Error {
  if (missing.length === 0)
    return new AskError("nothing_missing", "You have everything that you ask for.", held);
  if (missing.some(({ reason }) => reason === "directory_unavailable")) return directoryAway();
  const scopes = missing.map(({ scope }) => scope);
  return new AskError("cannot_be_given", "No assignment can give this to you now.", scopes);
}
