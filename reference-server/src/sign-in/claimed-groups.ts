import { recordAudit } from "../audit/record.js";
import { lifetimes } from "../protocol/vocabulary.js";
import type { GroupProvider } from "../store/group-providers.js";
import type { Store } from "../store/store.js";

/** The groups that an identity provider named at a sign-in, and the group provider that takes its word. */
export interface ClaimedGroups {
  readonly groupProvider: GroupProvider;
  readonly groups: readonly string[];
}

/** Stores the groups in place of those of the last sign-in, and records what is different. */
export async function storeClaimedGroups(
  { groupProvider, groups }: ClaimedGroups,
  {
    userId,
    requestId,
    store,
    now,
  }: { readonly userId: string; readonly requestId: string; readonly store: Store; readonly now: Date },
): Promise<void> {
  if (groupProvider.type !== "claim") return;
  const { identityProviderId: providerId } = groupProvider;
  const before = (await store.userGroups.find({ userId, providerId }))?.groups ?? [];
  // No grant outlives this, so whoever still has one has signed in meanwhile, here or at another provider.
  const expiresAt = new Date(now.getTime() + lifetimes.grant * 1000);
  await store.userGroups.replace({ userId, providerId, groups, signedInAt: now, expiresAt });
  const added = groups.filter((group) => !before.includes(group));
  const removed = before.filter((group) => !groups.includes(group));
  if (added.length === 0 && removed.length === 0) return;
  await recordAudit(store, {
    type: "groups.changed",
    outcome: "success",
    actor: { type: "system" },
    at: now,
    subject: userId,
    requestId,
    data: { groupProvider: groupProvider.key, added, removed },
  });
}
