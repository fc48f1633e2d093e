import type { ChangeWork } from "../http/call.js";
import { requireVersion } from "../http/versions.js";
import { findResource, showResource } from "./show-resource.js";

/**
 * Removes a resource. Nothing is issued for it from then on; tokens that it gave out itself end by themselves.
 *
 * @throws {AdminError} `not_found`, `version_conflict`
 */
export async function removeResource(
  { key, version }: { readonly key: string; readonly version: number },
  { store, audit }: ChangeWork,
): Promise<void> {
  const found = await findResource(store, key);
  requireVersion(showResource(found), version);
  await store.resources.remove(found.id);
  await audit({ type: "resource.removed", data: { key, resource: found.resource } });
}
