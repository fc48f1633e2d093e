import { randomUUID } from "node:crypto";
import type { z } from "zod";
import type { ListedAssignment, NewAssignment as StoredAssignment } from "../../store/assignments.js";
import type { Store } from "../../store/store.js";
import { alreadyExists, type FieldFault, invalidFields } from "../http/admin-error.js";
import type { AdminChange, ChangeWork } from "../http/call.js";
import { requireVersion } from "../http/versions.js";
import type { BulkAssignmentsResult, newAssignmentSchema, Assignment } from "./schemas.js";
import { loadAssignment, showAssignment } from "./show-assignment.js";

/** An assignment that somebody asks for, checked by its schema. */
export type WantedAssignment = z.output<typeof newAssignmentSchema>;

/** @throws {AdminError} `already_exists`, or `invalid_request` for an unknown scope or group provider. */
export async function createAssignment(wanted: WantedAssignment, work: ChangeWork): Promise<Assignment> {
  const { created } = await changeAssignments({ create: [wanted], remove: [] }, work);
  const [assignment] = created;
  if (assignment !== undefined) return assignment;
  const { email, group, scope } = wanted;
  throw alreadyExists(({ refusals }) => refusals.taken.assignment(email, group?.key ?? "", scope));
}

/** @throws {AdminError} `not_found`, `version_conflict` */
export async function removeAssignment(
  { id, version }: { readonly id: string; readonly version: number },
  work: ChangeWork,
): Promise<void> {
  requireVersion(await loadAssignment(work.store, id), version);
  await changeAssignments({ create: [], remove: [id] }, work);
}

/**
 * Removes and creates assignments together. What is there already, and what is gone already, counts as unchanged.
 *
 * @throws {AdminError} `invalid_request` for an unknown scope or group provider, each with its place.
 */
export async function changeAssignments(
  { create, remove }: { readonly create: readonly WantedAssignment[]; readonly remove: readonly string[] },
  work: ChangeWork,
): Promise<BulkAssignmentsResult> {
  const prepared = await prepare(create, work.store);
  const removed = await work.store.assignments.findAll(remove);
  await removeAll(removed, work);
  const created = await createAll(prepared, work);
  const shown = await work.store.assignments.findAll(created);
  const unchanged = create.length - created.length + remove.length - removed.length;
  return { created: shown.map(showAssignment), removed: removed.map(({ id }) => id), unchanged };
}

interface PreparedAssignment {
  readonly wanted: WantedAssignment;
  readonly stored: StoredAssignment;
}

async function prepare(
  create: readonly WantedAssignment[],
  store: Pick<Store, "scopes" | "groupProviders">,
): Promise<readonly PreparedAssignment[]> {
  const known = new Set((await store.scopes.findAll(create.map(({ scope }) => scope))).map(({ key }) => key));
  const providerKeys = [...new Set(create.flatMap(({ group }) => group?.provider ?? []))];
  const providers = await Promise.all(providerKeys.map((key) => store.groupProviders.findByKey(key)));
  const ids = new Map(providers.flatMap((provider) => (provider ? [[provider.key, provider.id]] : [])));

  const faults: FieldFault[] = [];
  const prepared: PreparedAssignment[] = [];
  for (const [index, wanted] of create.entries()) {
    const { scope, email, group } = wanted;
    const place = create.length === 1 ? "" : `create.${index}.`;
    const providerId = group && ids.get(group.provider);
    if (!known.has(scope)) {
      faults.push({ path: `${place}scope`, message: ({ fields }) => fields.unknownScope(scope) });
    }
    if (email !== undefined) prepared.push({ wanted, stored: { id: randomUUID(), email, scope } });
    else if (group !== undefined && providerId !== undefined) {
      prepared.push({ wanted, stored: { id: randomUUID(), group: { providerId, key: group.key }, scope } });
    } else {
      const provider = group?.provider ?? "";
      faults.push({
        path: `${place}group.provider`,
        message: ({ fields }) => fields.unknownGroupProvider(provider),
      });
    }
  }
  if (faults.length > 0) throw invalidFields(faults);
  return prepared;
}

async function createAll(
  prepared: readonly PreparedAssignment[],
  { store, at, auditAll }: ChangeWork,
): Promise<readonly string[]> {
  const created = await store.assignments.insertAllMissing(
    prepared.map(({ stored }) => stored),
    at,
  );
  const isNew = new Set(created);
  const changes = prepared
    .filter(({ stored }) => isNew.has(stored.id))
    .flatMap(({ wanted }) => describe("assignment.created", wanted));
  await auditAll(changes);
  return created;
}

async function removeAll(
  assignments: readonly ListedAssignment[],
  { store, auditAll }: ChangeWork,
): Promise<void> {
  if (assignments.length === 0) return;
  await store.assignments.removeAll(assignments.map(({ id }) => id));
  await auditAll(assignments.flatMap((assignment) => describe("assignment.removed", assignment)));
}

function describe(
  type: "assignment.created" | "assignment.removed",
  { email, group, scope }: Pick<WantedAssignment, "scope"> & Assignee,
): readonly AdminChange[] {
  if (typeof email === "string") return [{ type, data: { email, scope } }];
  if (!group) return [];
  return [{ type, data: { group: { provider: group.provider, key: group.key }, scope } }];
}

interface Assignee {
  readonly email?: string | null | undefined;
  readonly group?: { readonly provider: string; readonly key: string } | null | undefined;
}
