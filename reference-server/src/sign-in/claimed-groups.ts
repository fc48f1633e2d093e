import { recordAudit } from "../audit/record.js";
import { hasGroupOverage, parseGroupsClaim } from "../protocol/group-names.js";
import { lifetimes } from "../protocol/vocabulary.js";
import type { GroupProvider } from "../store/group-providers.js";
import type { Store } from "../store/store.js";
import type { ProviderClaims } from "./identity.js";

/** The groups that an identity provider named, and the group provider that accepts them. */
export interface ClaimedGroups {
  readonly groupProvider: GroupProvider;
  /** `unavailable`: the person has groups that the provider did not name. */
  readonly groups: readonly string[] | "unavailable";
}

/** The groups in a provider's claims; none when it names none. */
export function groupsOf(claims: ProviderClaims): ClaimedGroups["groups"] {
  return hasGroupOverage(claims) ? "unavailable" : parseGroupsClaim(claims.groups);
}

/** Stores the groups in place of those that the provider named before, and records what is different. */
export async function storeClaimedGroups(
  { groupProvider, groups: named }: ClaimedGroups,
  {
    userId,
    requestId,
    store,
    now,
  }: {
    readonly userId: string;
    readonly requestId: string | undefined;
    readonly store: Store;
    readonly now: Date;
  },
): Promise<void> {
  if (groupProvider.type !== "claim") return;
  const { identityProviderId: providerId } = groupProvider;
  const before = (await store.userGroups.find({ userId, providerId }))?.groups ?? [];
  const unavailable = named === "unavailable";
  const groups = unavailable ? [] : named;
  // No grant outlives this, so users with a grant have signed in since, here or at another provider.
  const expiresAt = new Date(now.getTime() + lifetimes.grant * 1000);
  await store.userGroups.replace({ userId, providerId, groups, unavailable, signedInAt: now, expiresAt });
  const added = groups.filter((group) => !before.includes(group));
  const removed = before.filter((group) => !groups.includes(group));
  if (added.length === 0 && removed.length === 0) return;
  await recordAudit(store, {
    type: "groups.changed",
    outcome: "success",
    actor: { type: "system" },
    at: now,
    subject: userId,
    ...(requestId !== undefined && { requestId }),
    data: { groupProvider: groupProvider.key, added, removed },
  });
}
