import { inUse } from "../http/admin-error.js";
import type { ChangeWork } from "../http/call.js";
import { requireVersion } from "../http/versions.js";
import { loadScope, requireOrdinary } from "./show-scope.js";

/** @throws {AdminError} `not_found`, `version_conflict`, or `in_use` with everything that uses it. */
export async function removeScope(
  { key, version }: { readonly key: string; readonly version: number },
  { store, audit }: ChangeWork,
): Promise<void> {
  const found = await loadScope(store, key);
  requireOrdinary(found);
  requireVersion(found, version);
  const uses = await store.scopes.findUses(key);
  const { assignments, resources, machineClients, connectors, skills } = uses;
  const named = [...resources, ...machineClients, ...connectors, ...skills];
  if (assignments + named.length > 0) {
    throw inUse(({ refusals }) => refusals.scopeInUse(key, uses));
  }
  await store.scopes.remove(key);
  await audit({ type: "scope.removed", data: { key } });
}
