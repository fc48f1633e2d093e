import type { GroupDirectories } from "../permissions/groups/directories.js";
import type { Approval, ApproverGroup } from "../store/approvals.js";
import type { Store } from "../store/store.js";
import type { User } from "../store/users.js";

export interface MembershipSources {
  readonly store: Pick<Store, "groupProviders" | "userGroups" | "identityProviders">;
  readonly directories: GroupDirectories;
  readonly now: Date;
}

/** Whether a person is in a group now; `undefined`: its directory is away. */
async function isMember(
  user: User,
  { provider: providerKey, key }: ApproverGroup,
  { store, directories, now }: MembershipSources,
): Promise<boolean | undefined> {
  const provider = await store.groupProviders.findByKey(providerKey);
  if (provider?.enabled !== true || !user.enabled || user.email === null) return false;
  if (provider.type === "directory") return (await directories.groupsOf(provider.id, user.email))?.has(key);
  const { identityProviderId: providerId } = provider;
  const [identityProvider, named] = await Promise.all([
    store.identityProviders.find(providerId),
    store.userGroups.find({ userId: user.id, providerId }),
  ]);
  return (
    identityProvider?.enabled === true &&
    named !== undefined &&
    named.expiresAt > now &&
    named.groups.includes(key)
  );
}

/** Those of some groups that a person is in. */
export async function memberGroups(
  user: User,
  groups: readonly ApproverGroup[],
  sources: MembershipSources,
): Promise<readonly ApproverGroup[]> {
  const members = await Promise.all(groups.map((group) => isMember(user, group, sources)));
  return groups.filter((_, index) => members[index] === true);
}

/**
 * Whether a person may answer: the person themselves, or, where a group answers, any of its members but them. `undefined`: the
 * directory of the group is away.
 */
export async function mayAnswer(
  user: User,
  { userId, approver }: Pick<Approval, "userId" | "approver">,
  sources: MembershipSources,
): Promise<boolean | undefined> {
  if (!user.enabled || user.pausedAt !== null) return false;
  if (approver === null) return user.id === userId;
  return user.id === userId ? false : await isMember(user, approver, sources);
}
