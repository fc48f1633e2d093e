import type { GroupProvider, GroupProviderStore } from "../group-providers.js";
import type { Database } from "./database.js";
import { createGroupProviderListStore } from "./group-provider-list.js";

interface GroupProviderRow {
  id: string;
  key: string;
  name: string;
  type: GroupProvider["type"];
  identity_provider_id: string | null;
  url: string | null;
  secret: Buffer | null;
  enabled: boolean;
}

export function createGroupProviderStore(database: Database): GroupProviderStore {
  const first = async (condition: Partial<GroupProviderRow>) => {
    const row = await database<GroupProviderRow>("group_providers").first().where(condition);
    return row && fromRow(row);
  };

  return {
    ...createGroupProviderListStore(database),

    find: (id) => first({ id }),
    findByKey: (key) => first({ key }),
    findByIdentityProvider: (identityProviderId) => first({ identity_provider_id: identityProviderId }),
    async hold(id) {
      return (await database("group_providers").select("id").where({ id }).forKeyShare()).length > 0;
    },
    async save(provider, at) {
      const { id, ...row } = toRow(provider);
      await database("group_providers")
        .insert({ id, ...row, created_at: at, updated_at: at })
        .onConflict("id")
        .merge({ ...row, updated_at: at, version: database.raw("group_providers.version + 1") });
    },
  };
}

function fromRow(row: GroupProviderRow): GroupProvider {
  const { id, key, name, enabled, identity_provider_id: identityProviderId, url, secret } = row;
  if (identityProviderId !== null) return { type: "claim", id, key, name, enabled, identityProviderId };
  if (url === null || secret === null) throw new TypeError("A directory has an address and a secret.");
  return { type: "directory", id, key, name, enabled, url, secret };
}

function toRow(provider: GroupProvider): GroupProviderRow {
  const { id, key, name, type, enabled } = provider;
  const claim = provider.type === "claim" ? provider : undefined;
  const directory = provider.type === "directory" ? provider : undefined;
  return {
    id,
    key,
    name,
    type,
    identity_provider_id: claim?.identityProviderId ?? null,
    url: directory?.url ?? null,
    secret: directory?.secret ?? null,
    enabled,
  };
}
