import type { ScopeUses } from "../../store/scope-list.js";
import { inUse } from "../http/admin-error.js";
import type { ChangeWork } from "../http/call.js";
import { requireVersion } from "../http/versions.js";
import { loadScope, requireOrdinary } from "./show-scope.js";

/** More names make no sentence clearer. */
const namedUses = 3;

/** @throws {AdminError} `not_found`, `version_conflict`, or `in_use` with everything that uses it. */
export async function removeScope(
  { key, version }: { readonly key: string; readonly version: number },
  { store, audit }: ChangeWork,
): Promise<void> {
  const found = await loadScope(store, key);
  requireOrdinary(found);
  requireVersion(found, version);
  const uses = describeUses(await store.scopeLists.findUses(key));
  if (uses !== "") throw inUse(`"${key}" is in use by ${uses}. Take it away there first.`);
  await store.scopeLists.remove(key);
  await audit({ type: "scope.removed", data: { key } });
}

function describeUses({ assignments, resources, machineClients, skills }: ScopeUses): string {
  const parts = [
    assignments === 0 ? "" : `${assignments} ${assignments === 1 ? "assignment" : "assignments"}`,
    nameSome("resource", resources),
    nameSome("machine client", machineClients),
    nameSome("skill", skills),
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function nameSome(kind: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const more = names.length > namedUses ? ` and ${names.length - namedUses} more` : "";
  return `the ${kind}${names.length === 1 ? "" : "s"} ${names.slice(0, namedUses).join(", ")}${more}`;
}
