import type { ChangeWork } from "../http/call.js";
import { requireVersion } from "../http/versions.js";
import type { ChangeScope, Scope } from "./schemas.js";
import { loadScope, requireOrdinary } from "./show-scope.js";

/** @throws {AdminError} `not_found`, `in_use` for a scope of the server itself, `version_conflict` */
export async function changeScope(
  { key, change, version }: { readonly key: string; readonly change: ChangeScope; readonly version: number },
  work: ChangeWork,
): Promise<Scope> {
  const { store, at, audit } = work;
  const { description } = change;
  const found = await loadScope(store, key);
  requireOrdinary(found);
  requireVersion(found, version);
  if (found.description === description) return found;
  await store.scopes.save({ key, description, system: false }, at);
  await audit({ type: "scope.changed", data: { key, fields: ["description"] } });
  return await loadScope(store, key);
}
