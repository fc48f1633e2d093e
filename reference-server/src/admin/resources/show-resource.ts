import type { ListedResource } from "../../store/resources.js";
import type { Store } from "../../store/store.js";
import { notFound } from "../http/admin-error.js";
import { isoTime } from "../http/list-query.js";
import type { Resource } from "./schemas.js";

/** A resource as the API shows it. */
export function showResource(resource: ListedResource): Resource {
  const { id: _id, createdAt, updatedAt, requestPrefixes, supportedScopes, ...rest } = resource;
  return {
    ...rest,
    requestPrefixes: [...requestPrefixes],
    supportedScopes: [...supportedScopes],
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

/** @throws {AdminError} `not_found` */
export async function findResource(store: Pick<Store, "resources">, key: string): Promise<ListedResource> {
  const resource = await store.resources.describe(key);
  if (resource === undefined) throw notFound(({ things }) => things.resource(key));
  return resource;
}
