import { effectiveAssignments } from "../../permissions/effective-scopes.js";
import { decide } from "../../permissions/decide.js";
import { loadPermissions, type PermissionSources } from "../../permissions/load-permissions.js";
import type { Store } from "../../store/store.js";
import type { ListedUser } from "../../store/users.js";
import { notFound } from "../../registry/refusal.js";
import { pausedAt as pausedAtEndOfGrace } from "../../lifecycle/presence/decide.js";
import { hasRole } from "../door/access.js";
import type { AdminCall, Caller } from "../door/call.js";
import { isoTime } from "../door/list-query.js";
import { showAs } from "../door/show.js";
import { showGrants, showSessions } from "../sessions/show-session.js";
import { findChangeable, type RoleSources } from "./changeable.js";
import { type User, type UserDetail, userDetailSchema, userSchema } from "./schemas.js";

const showMembers = showAs(userSchema);

/** People as the caller may change them: support nobody with a role, and nobody whom others have disabled. */
export async function showUsers(
  users: readonly ListedUser[],
  { caller, store, directories }: RoleSources & Pick<AdminCall, "caller">,
): Promise<User[]> {
  const isChangeable = await findChangeable(users, caller, { store, directories });
  return users.map((user) => {
    const changeable = isChangeable(user.id) && mayEnable(user, caller);
    return showMembers({ ...user, changeable });
  });
}

/** Whether the caller may enable a person again who is disabled. */
export function mayEnable({ disabledBy }: Pick<ListedUser, "disabledBy">, caller: Caller): boolean {
  return disabledBy === null || disabledBy === "support" || hasRole(caller, "administrator");
}

/** @throws {Refusal} `not_found` */
export async function loadUser(store: Store, { id, now }: { id: string; now: Date }): Promise<ListedUser> {
  const user = await store.users.describe(id, now);
  if (user === undefined) throw notFound("person");
  return user;
}

/**
 * A person with everything that decides what they may do now. Directories are asked.
 *
 * @throws {Refusal} `not_found`
 */
export async function loadUserDetail(
  id: string,
  {
    store,
    directories,
    now,
    caller,
  }: PermissionSources & { readonly store: Store } & Pick<AdminCall, "now" | "caller">,
): Promise<UserDetail> {
  const user = await loadUser(store, { id, now });
  const permissions = await loadPermissions(user, { store, directories });
  const held = new Set(effectiveAssignments(permissions).map(({ scope }) => scope));
  const { granted } = decide({ permissions, scopes: inOrder(held) });
  const open = inOrder(new Set(permissions.undecided.map(({ scope }) => scope)));
  const identities = await store.users.listIdentities(id);
  const groups = await store.users.listClaimedGroups(id, now);
  const newest = { limit: 50, descending: true, after: undefined, q: undefined, userId: id, now };
  const sessions = await store.browserSessions.list({ ...newest, sort: "signedInAt", provider: undefined });
  const grants = await store.grants.list({
    ...newest,
    sort: "createdAt",
    clientId: undefined,
    service: undefined,
    state: "live",
  });
  const [shown] = await showUsers([user], { caller, store, directories });
  return showAs(userDetailSchema)({
    ...user,
    changeable: shown?.changeable ?? false,
    identities,
    presence: await showPresence(user, store),
    scopes: granted.map(({ scope, by }) => ({ scope, by: [...by] })),
    undecided: open
      .filter((scope) => !held.has(scope))
      .map((scope) => ({
        scope,
        groups: permissions.undecided
          .filter((assignment) => assignment.scope === scope)
          .map(({ group: { key, provider } }) => ({
            key,
            provider: { key: provider.key, name: provider.name },
          })),
      })),
    groups,
    browserSessions: await showSessions(sessions.items, { caller, store, directories }),
    devices: await showGrants(grants.items, { caller, store, directories, now }),
  });
}

async function showPresence(
  { id, pausedAt }: ListedUser,
  { presences, identityProviders }: Store,
): Promise<UserDetail["presence"]> {
  const state = await presences.find(id);
  const provider = state && (await identityProviders.find(state.providerId));
  if (state === undefined || provider === undefined) return null;
  const { key, name } = provider;
  const until = pausedAt === null ? pausedAtEndOfGrace(state) : null;
  return {
    provider: { key, name },
    confirmedAt: isoTime(state.confirmedAt),
    state: pausedAt !== null ? "paused" : state.awaySince !== null ? "grace" : "confirmed",
    reason: state.reason,
    until: until === null ? null : isoTime(until),
    signInDueAt: state.signInDueAt === null ? null : isoTime(state.signInDueAt),
  };
}

function inOrder(scopes: ReadonlySet<string>): readonly string[] {
  return [...scopes].sort((one, other) => one.localeCompare(other, "en"));
}
