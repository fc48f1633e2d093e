import { alreadyExists } from "../http/admin-error.js";
import type { ChangeWork } from "../http/call.js";
import type { CreateScope, Scope } from "./schemas.js";
import { loadScope } from "./show-scope.js";

/** @throws {AdminError} `already_exists` */
export async function createScope({ key, description }: CreateScope, work: ChangeWork): Promise<Scope> {
  const { store, at, audit } = work;
  if (!(await store.scopes.insertMissing({ key, description, system: false }, at))) {
    throw alreadyExists(({ refusals }) => refusals.taken.scope(key), "key");
  }
  await audit({ type: "scope.created", data: { key } });
  return await loadScope(store, key);
}
