import { randomUUID } from "node:crypto";
import { groupProviderSecretRow, providerSecretRow } from "../../platform/vault/rows.js";
import type { GroupProvider } from "../../store/group-providers.js";
import type { IdentityProvider } from "../../store/providers.js";
import { changedFields } from "./changed-fields.js";
import { RegistryError } from "./registry-error.js";
import type { RegistryFile } from "./registry-file.js";
import { sealSecret, type Work } from "./work.js";

export async function applyProvider(
  { clientSecret: secret, ...wanted }: RegistryFile["providers"][number],
  { store, credentials, at, audit }: Work,
): Promise<void> {
  const found = await store.providers.findByKey(wanted.key);
  const id = found?.id ?? randomUUID();
  const stored = found?.clientSecret ?? null;
  const clientSecret =
    secret === undefined ? null : sealSecret({ secret, row: providerSecretRow(id), stored }, credentials);
  const provider: IdentityProvider = { ...wanted, id, clientSecret };
  if (found === undefined) {
    await store.providers.save(provider, at);
    return await audit({ type: "provider.created", data: { key: wanted.key, issuer: wanted.issuer } });
  }
  const fields = changedFields(found, provider);
  if (fields.length === 0) return;
  await saveChangedProvider({ before: found, after: provider }, { store, at });
  await audit({ type: "provider.changed", data: { key: wanted.key, fields } });
}

/**
 * Stores a provider that was there before. At another issuer the same account identifier can be somebody else (OpenID
 * Connect Core §5.7), so the accounts of the former one are forgotten.
 */
export async function saveChangedProvider(
  { before, after }: { readonly before: IdentityProvider; readonly after: IdentityProvider },
  { store, at }: Pick<Work, "store" | "at">,
): Promise<void> {
  if (after.issuer !== before.issuer) await store.providers.forgetAccounts(after.id);
  await store.providers.save(after, at);
}

type WantedGroupProvider = RegistryFile["groupProviders"][number];

export async function applyGroupProvider(wanted: WantedGroupProvider, work: Work): Promise<void> {
  const { store, at, audit } = work;
  const { key } = wanted;
  const found = await store.groupProviders.findByKey(key);
  if (found !== undefined && found.type !== wanted.type) {
    throw new RegistryError([
      `groupProviders: "${key}" is of the type "${found.type}"; give the new one another key`,
    ]);
  }
  const provider = await toGroupProvider(wanted, found, work);
  if (found === undefined) {
    await store.groupProviders.save(provider, at);
    return await audit({ type: "group_provider.created", data: { key, source: wanted.type } });
  }
  const fields = changedFields(found, provider);
  if (fields.length === 0) return;
  await store.groupProviders.save(provider, at);
  await audit({ type: "group_provider.changed", data: { key, fields } });
}

async function toGroupProvider(
  wanted: WantedGroupProvider,
  found: GroupProvider | undefined,
  { store, credentials }: Work,
): Promise<GroupProvider> {
  const id = found?.id ?? randomUUID();
  const { key, name, enabled } = wanted;
  if (wanted.type === "directory") {
    const stored = found?.type === "directory" ? found.secret : null;
    const row = groupProviderSecretRow(id);
    const secret = sealSecret({ secret: wanted.secret, row, stored }, credentials);
    return { type: "directory", id, key, name, enabled, url: wanted.url, secret };
  }
  const provider = await store.providers.findByKey(wanted.provider);
  if (provider === undefined) {
    throw new RegistryError([`groupProviders: "${wanted.provider}" is not the key of a provider`]);
  }
  const other = await store.groupProviders.findByIdentityProvider(provider.id);
  if (other !== undefined && other.key !== key) {
    throw new RegistryError([
      `groupProviders: the groups of "${wanted.provider}" already belong to "${other.key}"`,
    ]);
  }
  return { type: "claim", id, key, name, enabled, identityProviderId: provider.id };
}
