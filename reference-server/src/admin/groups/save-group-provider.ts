import { applyGroupProvider } from "../../registry/apply/apply-providers.js";
import { changedFields } from "../../registry/apply/changed-fields.js";
import { sealSecret } from "../../registry/apply/work.js";
import { groupProviderSecretRow } from "../../platform/vault/rows.js";
import type { GroupProvider as StoredGroupProvider } from "../../store/group-providers.js";
import type { Store } from "../../store/store.js";
import { AdminError, alreadyExists, fieldError, inUse, notFound } from "../http/admin-error.js";
import type { ChangeReach, ChangeWork } from "../http/call.js";
import { requireVersion } from "../http/versions.js";
import { type ComparedScopes, loadScopesOfGroups } from "./reach-of-groups.js";
import type { CheckedGroupProvider, CheckedGroupProviderPatch, GroupProvider } from "./schemas.js";
import { loadGroupProvider } from "./show-group-provider.js";

/** As many as a registry file can have. */
const maximumProviders = 100;

/** @throws {AdminError} `already_exists`, `invalid_request` */
export async function createGroupProvider(
  wanted: CheckedGroupProvider,
  work: ChangeWork,
): Promise<GroupProvider> {
  const { store } = work;
  const { key } = wanted;
  if ((await store.groupProviders.findByKey(key)) !== undefined) {
    throw alreadyExists(({ refusals }) => refusals.taken.groupProvider(key), "key");
  }
  if ((await store.groupProviders.count()) >= maximumProviders) {
    throw new AdminError("invalid_request", ({ refusals }) => refusals.full.groupProviders(maximumProviders));
  }
  if (wanted.type === "claim") await requireFreeClaim(wanted.provider, store);
  await applyGroupProvider(wanted, work);
  return await loadGroupProvider(store, key);
}

async function requireFreeClaim(key: string, store: Store): Promise<void> {
  const provider = await store.providers.findByKey(key);
  if (provider === undefined) {
    throw fieldError("provider", ({ fields }) => fields.unknownIdentityProvider(key));
  }
  const other = await store.groupProviders.findByIdentityProvider(provider.id);
  if (other === undefined) return;
  throw alreadyExists(({ refusals }) => refusals.taken.groups(key, other.key), "provider");
}

/** @throws {AdminError} `not_found`, `version_conflict`, `invalid_request` */
export async function changeGroupProvider(
  { key, change, version }: ProviderChange,
  work: ChangeWork,
): Promise<GroupProvider> {
  const { store, at, audit } = work;
  requireVersion(await loadGroupProvider(store, key), version);
  const found = await store.groupProviders.findByKey(key);
  if (found === undefined) throw notFound(({ things }) => things.groupProvider(key));
  const provider = merge(found, change, work);
  const fields = changedFields(found, provider);
  if (fields.length > 0) {
    await store.groupProviders.save(provider, at);
    await audit({ type: "group_provider.changed", data: { key, fields } });
  }
  return await loadGroupProvider(store, key);
}

interface ProviderChange {
  readonly key: string;
  readonly change: CheckedGroupProviderPatch;
  readonly version: number;
}

function merge(
  found: StoredGroupProvider,
  { name = found.name, enabled = found.enabled, url, secret }: CheckedGroupProviderPatch,
  { credentials }: Pick<ChangeWork, "credentials">,
): StoredGroupProvider {
  if (found.type === "claim") {
    if (url !== undefined) throw fieldError("url", ({ fields }) => fields.notOfClaim);
    if (secret !== undefined) throw fieldError("secret", ({ fields }) => fields.notOfClaim);
    return { ...found, name, enabled };
  }
  if (url !== undefined && url !== found.url && secret === undefined) {
    throw fieldError("secret", ({ fields }) => fields.secretAgain);
  }
  const { secret: stored } = found;
  const row = groupProviderSecretRow(found.id);
  return {
    ...found,
    name,
    enabled,
    url: url ?? found.url,
    secret: secret === undefined ? stored : sealSecret({ secret, row, stored }, credentials),
  };
}

/** @throws {AdminError} `not_found`, `version_conflict`, `in_use` while assignments name its groups */
export async function removeGroupProvider(
  { key, version }: { readonly key: string; readonly version: number },
  { store, audit }: ChangeWork,
): Promise<void> {
  const shown = await loadGroupProvider(store, key);
  requireVersion(shown, version);
  const found = await store.groupProviders.findByKey(key);
  if (found === undefined) throw notFound(({ things }) => things.groupProvider(key));
  if (shown.assignments > 0) {
    const scopes = await store.groupProviders.listAssignedScopes(found.id);
    throw inUse(({ refusals }) => refusals.groupsInUse(key, shown.assignments, scopes));
  }
  await store.groupProviders.remove(found.id);
  await audit({ type: "group_provider.removed", data: { key } });
}

/** The scopes that people have by groups of a provider. */
export function reachOfGroupProvider(key: string): ChangeReach {
  let compared: ComparedScopes = { scopes: [], notes: [] };
  return {
    scopes: async (store) => {
      const found = await store.groupProviders.findByKey(key);
      if (found !== undefined) compared = await loadScopesOfGroups(store, found.id);
      return compared.scopes;
    },
    notes: async () => compared.notes,
  };
}
