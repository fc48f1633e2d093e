import { refreshCatalog } from "../../skills/refresh-catalogs.js";
import { inUse } from "../http/admin-error.js";
import type { AdminCall } from "../http/call.js";
import type { AdminCatalog } from "./schemas.js";
import { loadCatalog, loadPublishingResource } from "./show-catalog.js";

/**
 * Fetches a catalog now and waits for the end. That the service is away is a result, not an error: the answer says it.
 *
 * @throws {AdminError} `not_found`, `in_use` while a process is fetching it
 */
export async function refreshNow(
  resourceKey: string,
  { context, store, change }: Pick<AdminCall, "context" | "store" | "change">,
): Promise<AdminCatalog> {
  const resource = await loadPublishingResource(store, resourceKey);
  if (!(await refreshCatalog(context, resource.id))) {
    throw inUse(({ refusals }) => refusals.catalogBusy(resourceKey));
  }
  const catalog = await loadCatalog(resource, { store, now: new Date(context.clock()) });
  const { skills, error } = catalog;
  await change(({ audit }) =>
    audit({ type: "catalog.refreshed", data: { resource: resourceKey, skills, failure: error } }),
  );
  return catalog;
}
