import type { Owned, RoleGroup } from "../store/owners.js";
import type { Store } from "../store/store.js";
import { administerScope, auditScope, roleScopes, supportScope } from "../store/system-scopes.js";
import type { User } from "../store/users.js";
import { effectiveScopes, undecidedScopes } from "./effective-scopes.js";
import type { GroupDirectories } from "./groups/directories.js";
import { loadPermissions, type PermissionSources } from "./load-permissions.js";

/** What somebody may be at the administration; each role is a scope, except that of an owner. */
export const roles = ["administrator", "auditor", "support", "owner"] as const;
export type Role = (typeof roles)[number];

/** What a caller may do at the administration. */
export interface Authority {
  readonly roles: ReadonlySet<Role>;
  /** Roles that only a directory that is away may give. */
  readonly undecided: ReadonlySet<Role>;
  /** What the caller decides for as an owner. */
  readonly owned: Owned;
}

const scopeOf: Readonly<Record<Exclude<Role, "owner">, string>> = {
  administrator: administerScope,
  auditor: auditScope,
  support: supportScope,
};

/** The scopes that give these roles. */
export function scopesOf(some: readonly Role[]): string[] {
  return some.flatMap((role) => (role === "owner" ? [] : scopeOf[role]));
}

const nothingOwned: Owned = { services: [], connectors: [], scopes: [], decidable: [] };

type RoleSources = PermissionSources & { readonly store: Pick<Store, "assignments" | "owners"> };

/** What a person may do at the administration now. Directories are asked. */
export async function loadAuthority(user: User, sources: RoleSources): Promise<Authority> {
  const [permissions, { owned, undecided: ownerUndecided }] = await Promise.all([
    loadPermissions(user, sources),
    loadOwned(user, sources),
  ]);
  const held = rolesOf(effectiveScopes(permissions));
  const open = rolesOf(undecidedScopes(permissions));
  if (owned.services.length + owned.connectors.length > 0) held.add("owner");
  else if (ownerUndecided) open.add("owner");
  return { roles: held, undecided: open, owned };
}

/** What a machine may do with these scopes. Machines own nothing. */
export function machineAuthority(scopes: readonly string[]): Authority {
  return { roles: rolesOf(new Set(scopes)), undecided: new Set(), owned: nothingOwned };
}

function rolesOf(scopes: ReadonlySet<string>): Set<Role> {
  return new Set(roles.filter((role) => role !== "owner" && scopes.has(scopeOf[role])));
}

/** What a person owns, and whether a directory that is away may add to it. */
async function loadOwned(
  { id: userId, email, enabled }: User,
  { store, directories }: Pick<RoleSources, "store" | "directories">,
): Promise<{ readonly owned: Owned; readonly undecided: boolean }> {
  if (!enabled) return { owned: nothingOwned, undecided: false };
  const { directories: ids, ...owned } = await store.owners.findOwned({ userId, email });
  if (ids.length === 0 || email === null) return { owned, undecided: false };
  const answers = await askDirectories(ids, email, directories);
  const memberships = answers.flatMap(({ providerId, groups }) =>
    groups === undefined || groups.size === 0 ? [] : [{ providerId, keys: [...groups] }],
  );
  const undecided = answers.some(({ groups }) => groups === undefined);
  if (memberships.length === 0) return { owned, undecided };
  const { directories: _ids, ...all } = await store.owners.findOwned({ userId, email }, memberships);
  return { owned: all, undecided };
}

async function askDirectories(ids: readonly string[], email: string, directories: GroupDirectories) {
  return await Promise.all(
    ids.map(async (providerId) => ({ providerId, groups: await directories.groupsOf(providerId, email) })),
  );
}

/**
 * Who of these people has a role or owns something, or may: while a directory is away whose groups give a role, everybody does.
 *
 * Call it with a few hundred people at most.
 */
export async function findRoleHolders(
  people: readonly Pick<User, "id" | "email">[],
  { store, directories }: { readonly store: Pick<Store, "owners">; readonly directories: GroupDirectories },
): Promise<ReadonlySet<string>> {
  const ids = people.map(({ id }) => id);
  const [known, groups] = await Promise.all([
    store.owners.findRoleHolders(ids, roleScopes),
    store.owners.listRoleGroups(roleScopes),
  ]);
  const asked = groups.filter(({ type }) => type === "directory");
  if (asked.length === 0) return known;
  const holders = new Set(known);
  for (const { id, email } of people) {
    if (!holders.has(id) && email !== null && (await isInOneOf(asked, email, directories))) holders.add(id);
  }
  return holders;
}

/** Whether an address is in one of these groups of directories, or may be. */
async function isInOneOf(
  groups: readonly RoleGroup[],
  email: string,
  directories: GroupDirectories,
): Promise<boolean> {
  const providerIds = [...new Set(groups.map(({ providerId }) => providerId))];
  const answers = await askDirectories(providerIds, email, directories);
  return answers.some(
    ({ providerId, groups: theirs }) =>
      theirs === undefined ||
      groups.some((group) => group.providerId === providerId && theirs.has(group.key)),
  );
}

/**
 * Whether a person is in groups of these providers; `undefined`: it is not known now. What a sign-in named counts even when it is over:
 * it may come back.
 */
export async function loadMemberships(
  { id, email }: Pick<User, "id" | "email">,
  providerKeys: readonly string[],
  {
    store,
    directories,
  }: {
    readonly store: Pick<Store, "groupProviders" | "users">;
    readonly directories: GroupDirectories;
  },
): Promise<(group: { readonly provider: string; readonly key: string }) => boolean | undefined> {
  const groups = new Map<string, ReadonlySet<string> | undefined>();
  for (const key of providerKeys) {
    const provider = await store.groupProviders.findByKey(key);
    if (provider === undefined) groups.set(key, new Set());
    else if (provider.type !== "directory") {
      const named = await store.users.listGroupsOf(id, provider.id);
      groups.set(key, named && new Set(named));
    } else groups.set(key, email === null ? new Set() : await directories.groupsOf(provider.id, email));
  }
  return ({ provider, key }) => groups.get(provider)?.has(key);
}
