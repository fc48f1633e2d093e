import type { KnownGroup, ListedGroupProvider } from "../../store/group-providers.js";
import type { Store } from "../../store/store.js";
import { notFound } from "../http/admin-error.js";
import { isoTime } from "../http/list-query.js";
import type { Group, GroupProvider } from "./schemas.js";

export function showGroupProvider(provider: ListedGroupProvider): GroupProvider {
  const { key, name, type, identityProvider, url, enabled, assignments, version } = provider;
  return {
    key,
    name,
    type,
    provider: identityProvider,
    url,
    hasSecret: type === "directory",
    enabled,
    assignments,
    createdAt: isoTime(provider.createdAt),
    updatedAt: isoTime(provider.updatedAt),
    version,
  };
}

export function showGroup({ key, provider, people, assignments }: KnownGroup): Group {
  return { key, provider, people, assignments };
}

/** @throws {AdminError} `not_found` */
export async function loadGroupProvider(store: Store, key: string): Promise<GroupProvider> {
  const provider = await store.groupProviders.describe(key);
  if (provider === undefined) throw notFound(({ things }) => things.groupProvider(key));
  return showGroupProvider(provider);
}
