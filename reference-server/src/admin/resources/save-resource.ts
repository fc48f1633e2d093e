import { randomUUID } from "node:crypto";
import { changedFields } from "../../registry/apply/changed-fields.js";
import {
  findResourceConflicts,
  findUnknownScopes,
  type ResourceConflict,
} from "../../registry/apply/resource-conflicts.js";
import type { Resource as StoredResource } from "../../store/resources.js";
import type { Store } from "../../store/store.js";
import { AdminError, alreadyExists, type FieldFault, invalidFields } from "../http/admin-error.js";
import type { ChangeWork } from "../http/call.js";
import { requireVersion } from "../http/versions.js";
import type { Resource } from "./schemas.js";
import { findResource, showResource } from "./show-resource.js";

/** @throws {AdminError} `already_exists` for the key, the identifier or a prefix, `invalid_request` for an unknown scope */
export async function createResource(
  wanted: Omit<StoredResource, "id">,
  { store, at, audit }: ChangeWork,
): Promise<Resource> {
  const { key, resource } = wanted;
  if ((await store.resources.findByKey(key)) !== undefined) {
    throw alreadyExists(({ refusals }) => refusals.taken.resource(key), "key");
  }
  await requireNoConflict(wanted, store);
  await store.resources.save({ ...wanted, id: randomUUID(), supportedScopes: inOrder(wanted) }, at);
  await audit({ type: "resource.created", data: { key, resource } });
  return showResource(await findResource(store, key));
}

/** What is to change; what is absent stays as it is. */
type ResourceChange = {
  readonly [Name in Exclude<keyof StoredResource, "id" | "key">]?: StoredResource[Name] | undefined;
};

/** @throws {AdminError} as `createResource`, and `not_found`, `version_conflict` */
export async function changeResource(
  {
    key,
    change,
    version,
  }: { readonly key: string; readonly change: ResourceChange; readonly version: number },
  { store, at, audit }: ChangeWork,
): Promise<Resource> {
  const found = await findResource(store, key);
  requireVersion(showResource(found), version);
  const { createdAt: _createdAt, updatedAt: _updatedAt, version: _version, ...before } = found;
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const merged: StoredResource = { ...before, ...given };
  const after = { ...merged, supportedScopes: inOrder(merged) };
  const fields = changedFields(before, after);
  if (fields.length === 0) return showResource(found);
  await requireNoConflict(after, store);
  await store.resources.save(after, at);
  await audit({ type: "resource.changed", data: { key, fields } });
  return showResource(await findResource(store, key));
}

function inOrder({ supportedScopes }: Pick<StoredResource, "supportedScopes">): readonly string[] {
  return [...new Set(supportedScopes)].sort();
}

async function requireNoConflict(wanted: Omit<StoredResource, "id">, store: Store): Promise<void> {
  const unknown = await findUnknownScopes(wanted.supportedScopes, store);
  if (unknown.length > 0) throw invalidFields(unknown.map(toFault));
  const conflicts = await findResourceConflicts(wanted, store);
  const [first] = conflicts;
  if (first === undefined) return;
  const fields = conflicts.map(toFault);
  throw new AdminError("already_exists", ({ below }) => `${below(first.message)}.`, { fields });
}

function toFault({ path, message }: ResourceConflict): FieldFault {
  return { path, message: ({ below }) => below(message) };
}
