import { randomUUID } from "node:crypto";
import type { Assignment, ListedAssignment, NewAssignment } from "../store/assignments.js";
import type { Store } from "../store/store.js";
import { describeAssignment, describeEnded } from "./assignment-ends.js";
import { inPortions } from "./in-portions.js";
import { fault } from "../objects/check.js";
import { notFound, requireNone } from "./refusal.js";
import { findUnknownScopes } from "./scope.js";
import type { Work } from "./work.js";

/** Who gets a scope: the owner of an address, or the members of a group. */
export interface Assignee {
  readonly email?: string | undefined;
  readonly group?: { readonly provider: string; readonly key: string } | undefined;
}

/** A scope and its assignee. */
export interface WantedAssignment extends Assignee {
  readonly scope: string;
  /** Until when it counts; absent: for good. */
  readonly expiresAt?: Date | undefined;
}

/** What came of a change. */
export interface ChangedAssignments {
  readonly created: readonly ListedAssignment[];
  readonly removed: readonly string[];
  /** What was there before, and what was gone before. */
  readonly unchanged: number;
}

/**
 * Removes and creates assignments together. What is there already, for at least as long, and what is gone already, counts as
 * unchanged; what would end earlier makes room.
 *
 * @throws {Refusal} `invalid_request` for an unknown scope or group provider, and for an end that is over, each with its place.
 */
export async function changeAssignments(
  { create, remove }: { readonly create: readonly WantedAssignment[]; readonly remove: readonly string[] },
  work: Work,
): Promise<ChangedAssignments> {
  const { store } = work;
  const prepared = await prepare(create, work);
  const removed = await inPortions(remove, async (ids) => {
    const found = await store.assignments.findAll(ids);
    await removeAll(found, work);
    return found;
  });
  const created = await createAll(prepared, work);
  return {
    created: await store.assignments.findAll(created),
    removed: removed.map(({ id }) => id),
    unchanged: create.length - created.length + remove.length - removed.length,
  };
}

/**
 * Makes these the only scopes of an assignee, until then. When that time is over, none are assigned.
 *
 * @throws {Refusal} `invalid_request`
 */
export async function setAssignments(
  {
    assignee,
    scopes: listed,
    expiresAt,
  }: {
    readonly assignee: Assignee;
    readonly scopes: readonly string[];
    readonly expiresAt?: Date | undefined;
  },
  work: Work,
): Promise<void> {
  const stored = await findStored(assignee, work.store);
  const scopes = isOver(expiresAt, work.at) ? [] : listed;
  const end = secondsOf(expiresAt);
  const kept = stored.filter((item) => scopes.includes(item.scope) && (item.expiresAt ?? null) === end);
  const held = new Set(kept.map(({ scope }) => scope));
  const create = [...new Set(scopes)].filter((scope) => !held.has(scope));
  const remove = stored.filter((item) => !kept.includes(item)).map(({ id }) => id);
  if (create.length + remove.length === 0) return;
  await changeAssignments(
    { create: create.map((scope) => ({ ...assignee, scope, expiresAt })), remove },
    work,
  );
}

/** @throws {Refusal} `not_found` */
export async function findAssignment(
  store: Pick<Store, "assignments">,
  id: string,
): Promise<ListedAssignment> {
  const [assignment] = await store.assignments.findAll([id]);
  if (assignment === undefined) throw notFound("assignment");
  return assignment;
}

async function findStored(
  { email, group }: Assignee,
  store: Pick<Store, "assignments" | "groupProviders">,
): Promise<readonly Assignment[]> {
  if (email !== undefined) return await store.assignments.listByEmail(email);
  if (group === undefined) return [];
  const provider = await store.groupProviders.findByKey(group.provider);
  requireNone(provider === undefined ? [unknownProvider("group.provider", group.provider)] : []);
  return await store.assignments.listByGroup({ providerId: provider?.id ?? "", key: group.key });
}

interface PreparedAssignment {
  readonly wanted: WantedAssignment;
  readonly stored: NewAssignment;
}

async function prepare(
  create: readonly WantedAssignment[],
  { store, at }: Pick<Work, "store" | "at">,
): Promise<readonly PreparedAssignment[]> {
  const placeOf = (index: number) => (create.length === 1 ? "" : `create.${index}.`);
  const unknown = await findUnknownScopes(
    [{ scopes: create.map(({ scope }) => scope), placeOf: (index) => `${placeOf(index)}scope` }],
    store,
  );
  const keys = [...new Set(create.flatMap(({ group }) => group?.provider ?? []))];
  const providers = await Promise.all(keys.map((key) => store.groupProviders.findByKey(key)));
  const ids = new Map(providers.flatMap((provider) => (provider ? [[provider.key, provider.id]] : [])));
  const nowhere = create.flatMap(({ group }, index) =>
    group === undefined || ids.has(group.provider)
      ? []
      : [unknownProvider(`${placeOf(index)}group.provider`, group.provider)],
  );
  const past = create.flatMap(({ expiresAt }, index) =>
    isOver(expiresAt, at) ? [fault(`${placeOf(index)}expiresAt`, "endIsOver")] : [],
  );
  requireNone([...unknown, ...nowhere, ...past]);
  return create.map((wanted) => {
    const { email, group, scope } = wanted;
    const expiresAt = secondsOf(wanted.expiresAt);
    const id = randomUUID();
    if (group === undefined) return { wanted, stored: { id, email: email ?? "", scope, expiresAt } };
    return {
      wanted,
      stored: { id, group: { providerId: ids.get(group.provider) ?? "", key: group.key }, scope, expiresAt },
    };
  });
}

export function unknownProvider(path: string, key: string) {
  return fault(path, "unknownGroupProvider", { key });
}

async function createAll(
  prepared: readonly PreparedAssignment[],
  { store, at, auditAll }: Work,
): Promise<readonly string[]> {
  const wanted = prepared.map(({ stored }) => stored);
  if (wanted.length > 0) await auditAll(describeEnded(await store.assignments.makeRoom(wanted)));
  const created = await store.assignments.insertAllMissing(wanted, at);
  const isNew = new Set(created);
  const changes = prepared
    .filter(({ stored }) => isNew.has(stored.id))
    .flatMap((one) => describeAssignment("assignment.created", one.wanted));
  await auditAll(changes);
  return created;
}

function secondsOf(expiresAt: Date | undefined): number | null {
  return expiresAt === undefined ? null : expiresAt.getTime() / 1000;
}

function isOver(expiresAt: Date | undefined, at: Date): boolean {
  return expiresAt !== undefined && expiresAt <= at;
}

async function removeAll(assignments: readonly ListedAssignment[], { store, auditAll }: Work): Promise<void> {
  if (assignments.length === 0) return;
  await store.assignments.removeAll(assignments.map(({ id }) => id));
  await auditAll(assignments.flatMap((assignment) => describeAssignment("assignment.removed", assignment)));
}
