import type { ListedScope, Scope } from "../store/scopes.js";
import type { Store } from "../store/store.js";
import { removeOver } from "./assignment-ends.js";
import { type FieldFault, fault } from "../objects/check.js";
import { type ObjectKind, removeObject, saveObject } from "./object.js";
import { inUse, notFound } from "./refusal.js";
import type { Saving, Work } from "./work.js";

const scopeKind: ObjectKind<Scope> = { storeOf: ({ scopes }) => scopes, event: "scope", sentence: "scope" };

/** @throws {Refusal} `already_exists`, `in_use` for a scope of the server itself */
export async function saveScope(
  { before, after: { key, description } }: Saving<Scope, Omit<Scope, "system">>,
  work: Work,
): Promise<void> {
  if (before !== undefined) requireOrdinary(before);
  await saveObject(scopeKind, { before, after: { key, description, system: false } }, work);
}

/** @throws {Refusal} `in_use` with everything that uses it, or for a scope of the server itself */
export async function removeScope(scope: Scope, work: Work): Promise<void> {
  const { key } = scope;
  requireOrdinary(scope);
  await removeOver({ scope: key }, work);
  const { assignments, ...named } = await work.store.scopes.findUses(key);
  const uses = [
    ...(assignments === 0
      ? []
      : [{ key: "administration.uses.assignments" as const, values: { count: assignments } }]),
    ...(["resources", "machineClients", "connectors", "skills"] as const).flatMap((kind) =>
      named[kind].length === 0
        ? []
        : [{ key: `administration.uses.${kind}` as const, values: sample(named[kind]) }],
    ),
  ];
  if (uses.length > 0) throw inUse("scopeInUse", { key, uses });
  await removeObject(scopeKind, scope, work);
}

/** @throws {Refusal} `not_found` */
export async function findScope(store: Pick<Store, "scopes">, key: string): Promise<ListedScope> {
  const scope = await store.scopes.describe(key);
  if (scope === undefined) throw notFound("scope", { key });
  return scope;
}

/** @throws {Refusal} `in_use`: the server itself needs the scope as it is. */
export function requireOrdinary({ key, system }: Scope): void {
  if (system) throw inUse("systemScope", { key });
}

/** Scopes that something names, and where: each has its own place, or all have the same one. */
export interface NamedScopes {
  readonly scopes: readonly string[];
  readonly placeOf: (index: number) => string;
}

/** Finds unknown scopes, with their places. */
export async function findUnknownScopes(
  named: readonly NamedScopes[],
  store: Pick<Store, "scopes">,
): Promise<readonly FieldFault[]> {
  const wanted = [...new Set(named.flatMap(({ scopes }) => scopes))];
  if (wanted.length === 0) return [];
  const known = new Set((await store.scopes.findAll(wanted)).map(({ key }) => key));
  return named.flatMap(({ scopes, placeOf }) =>
    scopes.flatMap((scope, index) =>
      known.has(scope) ? [] : [fault(placeOf(index), "unknownScope", { scope })],
    ),
  );
}

/** The first names of a list, and their number. */
export function sample(names: readonly string[]): { names: readonly string[]; count: number; more: number } {
  return { names: names.slice(0, 3), count: names.length, more: Math.max(names.length - 3, 0) };
}
