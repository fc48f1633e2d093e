import { isDeepStrictEqual } from "node:util";
import { type FieldFault, fault } from "../objects/check.js";
import type { OwnedObject, Owner } from "../store/owners.js";
import type { Store } from "../store/store.js";
import type { Work } from "./work.js";

/** Finds owners of unknown group providers, with their places. */
export async function findUnknownOwners(
  owners: readonly Owner[],
  store: Pick<Store, "groupProviders">,
): Promise<readonly FieldFault[]> {
  const keys = [...new Set(owners.flatMap(({ group }) => group?.provider ?? []))];
  const found = await Promise.all(keys.map((key) => store.groupProviders.findByKey(key)));
  const known = new Set(found.flatMap((provider) => provider?.key ?? []));
  return owners.flatMap(({ group }, index) =>
    group === null || known.has(group.provider)
      ? []
      : [fault(`owners.${index}.group.provider`, "unknownGroupProvider", { key: group.provider })],
  );
}

/** Stores who decides for an object, and records who was added and who was removed. */
export async function saveOwners(
  object: OwnedObject & { readonly key: string },
  { before, after }: { readonly before: readonly Owner[]; readonly after: readonly Owner[] },
  { store, audit }: Work,
): Promise<void> {
  const lacks = (list: readonly Owner[]) => (owner: Owner) =>
    !list.some((other) => isDeepStrictEqual(other, owner));
  const [added, removed] = [after.filter(lacks(before)), before.filter(lacks(after))];
  if (added.length + removed.length === 0) return;
  await store.owners.save(object, after);
  const { kind, key: target } = object;
  await audit({
    type: "owners.changed",
    data: { kind, target, added: added.map(nameOf), removed: removed.map(nameOf) },
  });
}

function nameOf({ email, group }: Owner): string {
  return email ?? `${group?.provider}:${group?.key}`;
}
