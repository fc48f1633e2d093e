import type { ListedScope } from "../../store/scopes.js";
import type { Store } from "../../store/store.js";
import { inUse, notFound } from "../http/admin-error.js";
import { isoTime } from "../http/list-query.js";
import type { Scope } from "./schemas.js";

/** A scope as the API shows it. */
export function showScope({ createdAt, updatedAt, resources, ...scope }: ListedScope): Scope {
  return {
    ...scope,
    resources: [...resources],
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

/** @throws {AdminError} `not_found` */
export async function loadScope(store: Pick<Store, "scopes">, key: string): Promise<Scope> {
  const scope = await store.scopes.describe(key);
  if (scope === undefined) throw notFound(({ things }) => things.scope(key));
  return showScope(scope);
}

/** @throws {AdminError} `in_use`: the server itself needs the scope as it is. */
export function requireOrdinary({ key, system }: Scope): void {
  if (system) throw inUse(({ refusals }) => refusals.systemScope(key));
}
