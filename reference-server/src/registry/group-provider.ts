import { randomUUID } from "node:crypto";
import { groupProviderSecretRow } from "../platform/vault/rows.js";
import type { GroupProvider, ListedGroupProvider } from "../store/group-providers.js";
import type { Store } from "../store/store.js";
import { removeOver } from "./assignment-ends.js";
import { fault } from "../objects/check.js";
import { full, inUse, invalid, notFound, Refusal, taken } from "./refusal.js";
import { changedFields, type Saving, sealSecret, type Work } from "./work.js";

/** As many as a registry file can have. */
const maximumGroupProviders = 100;

/** A group provider as it shall be: with the key of an identity provider, or with the address and secret of a directory. */
export type WantedGroupProvider = Pick<GroupProvider, "key" | "name" | "enabled"> &
  (
    | { readonly type: "claim" | "scim"; readonly provider: string }
    | { readonly type: "directory"; readonly url: string; readonly secret: string }
  );

/** @throws {Refusal} `already_exists`, `invalid_request` */
export async function saveGroupProvider(
  { before, after: wanted }: Saving<GroupProvider, WantedGroupProvider>,
  work: Work,
): Promise<void> {
  const { store } = work;
  const { key, type } = wanted;
  if (before === undefined && (await store.groupProviders.findByKey(key)) !== undefined) {
    throw taken("groupProvider", { key }, "key");
  }
  if (before === undefined && (await store.groupProviders.count()) >= maximumGroupProviders) {
    throw full("groupProviders", maximumGroupProviders);
  }
  if (before !== undefined && before.type !== type) {
    const values = { key, type: before.type };
    throw new Refusal("already_exists", { key: "administration.refusals.otherGroupProviderType", values });
  }
  await storeChange({ before, after: await toStored({ before, after: wanted }, work) }, work);
}

/** What may change of a group provider; what is absent stays, the secret too. */
export interface GroupProviderChange {
  readonly name?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly url?: string | undefined;
  readonly secret?: string | undefined;
}

/** @throws {Refusal} `invalid_request`: a claim has no address and no secret, and another address needs the secret again. */
export async function changeGroupProvider(
  { before, change }: { readonly before: GroupProvider; readonly change: GroupProviderChange },
  work: Work,
): Promise<void> {
  const { name = before.name, enabled = before.enabled, url: address, secret: given } = change;
  if (before.type !== "directory") {
    if (address !== undefined) throw invalid(fault("url", "notOfClaim"));
    if (given !== undefined) throw invalid(fault("secret", "notOfClaim"));
    return await storeChange({ before, after: { ...before, name, enabled } }, work);
  }
  if (address !== undefined && address !== before.url && given === undefined) {
    throw invalid(fault("secret", "secretAgain"));
  }
  const row = groupProviderSecretRow(before.id);
  const { secret: stored } = before;
  const sealed =
    given === undefined ? stored : await sealSecret({ secret: given, row, stored }, work.credentials);
  await storeChange(
    { before, after: { ...before, name, enabled, url: address ?? before.url, secret: sealed } },
    work,
  );
}

async function storeChange(
  { before, after }: Saving<GroupProvider, GroupProvider>,
  { store, at, audit }: Work,
): Promise<void> {
  const { key, type } = after;
  const fields = before === undefined ? [] : changedFields<GroupProvider>(before, after);
  if (before !== undefined && fields.length === 0) return;
  await store.groupProviders.save(after, at);
  // What the provider has said until now counts from the beginning.
  if (before === undefined && after.type === "scim") {
    await store.provisionedGroups.announce(after);
    await store.provisionedUsers.refreshGroups({ providerId: after.identityProviderId, ids: "all" }, at);
  }
  await audit(
    before === undefined
      ? { type: "group_provider.created", data: { key, source: type } }
      : { type: "group_provider.changed", data: { key, fields } },
  );
}

async function toStored(
  { before, after: wanted }: Saving<GroupProvider, WantedGroupProvider>,
  { store, credentials }: Work,
): Promise<GroupProvider> {
  const id = before?.id ?? randomUUID();
  const { key, name, enabled } = wanted;
  if (wanted.type === "directory") {
    const stored = before?.type === "directory" ? before.secret : null;
    const row = groupProviderSecretRow(id);
    const sealed = await sealSecret({ secret: wanted.secret, row, stored }, credentials);
    return { type: "directory", id, key, name, enabled, url: wanted.url, secret: sealed };
  }
  const provider = await store.identityProviders.findByKey(wanted.provider);
  if (provider === undefined) {
    throw invalid(fault("provider", "unknownIdentityProvider", { key: wanted.provider }));
  }
  const other = await store.groupProviders.findByIdentityProvider(provider.id);
  if (other !== undefined && other.key !== key) {
    throw taken("groups", { provider: wanted.provider, other: other.key }, "provider");
  }
  return { type: wanted.type, id, key, name, enabled, identityProviderId: provider.id };
}

/** @throws {Refusal} `in_use` while assignments name its groups, or its groups own something */
export async function removeGroupProvider(
  { id, key, assignments }: ListedGroupProvider,
  work: Work,
): Promise<void> {
  const { store, audit } = work;
  if (assignments > 0) {
    const scopes = await store.groupProviders.listAssignedScopes(id);
    const more = Math.max(scopes.length - 5, 0);
    throw inUse("groupsInUse", { key, assignments, scopes: scopes.slice(0, 5), more });
  }
  const owned = await store.owners.countOfProvider(id);
  if (owned > 0) throw inUse("groupsOwn", { key, count: owned });
  await removeOver({ providerId: id }, work);
  await store.groupProviders.remove(id);
  await audit({ type: "group_provider.removed", data: { key } });
}

/** @throws {Refusal} `not_found` */
export async function findGroupProvider(
  store: Pick<Store, "groupProviders">,
  key: string,
): Promise<ListedGroupProvider> {
  const provider = await store.groupProviders.describe(key);
  if (provider === undefined) throw notFound("groupProvider", { key });
  return provider;
}
