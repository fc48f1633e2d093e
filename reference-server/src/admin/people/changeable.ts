import type { GroupDirectories } from "../../permissions/groups/directories.js";
import { findRoleHolders } from "../../permissions/roles.js";
import { fault } from "../../objects/check.js";
import { invalid } from "../../registry/refusal.js";
import type { Store } from "../../store/store.js";
import type { User } from "../../store/users.js";
import { hasRole } from "../door/access.js";
import type { Caller } from "../door/call.js";
import { AdminRefusal } from "../door/refusals.js";

type Person = Pick<User, "id" | "email">;

export interface RoleSources {
  readonly store: Pick<Store, "owners">;
  readonly directories: GroupDirectories;
}

/** Most people whom support changes with one request: a directory is asked about each of them. */
const mostForSupport = 200;

/**
 * Whose sessions and apps the caller may end, and whom they may disable: administrators everybody's, support nobody's who has a role
 * here or may have one, which includes their own.
 */
export async function findChangeable(
  people: readonly Person[],
  caller: Caller,
  sources: RoleSources,
): Promise<(id: string) => boolean> {
  if (hasRole(caller, "administrator")) return () => true;
  if (!hasRole(caller, "support")) return () => false;
  const different = [...new Map(people.map((person) => [person.id, person])).values()];
  const holders = await findRoleHolders(different, sources);
  return (id) => !holders.has(id);
}

/** @throws {AdminRefusal} `forbidden`: one of them has a role. */
export async function requireChangeable(
  people: readonly Person[],
  caller: Caller,
  sources: RoleSources,
): Promise<void> {
  const isChangeable = await findChangeable(people, caller, sources);
  const held = new Set(people.map(({ id }) => id).filter((id) => !isChangeable(id)));
  if (held.size > 0) throw new AdminRefusal("forbidden", "roleHolders", { count: held.size });
}

/** @throws {Refusal} `invalid_request`: more than support changes with one request. */
export function requireFew(count: number, caller: Caller): void {
  if (count <= mostForSupport || hasRole(caller, "administrator")) return;
  throw invalid(fault("", "tooManyFound", { maximum: mostForSupport }));
}
