import { randomUUID } from "node:crypto";
import { isGroupName } from "../protocol/group-names.js";
import type {
  ChangedMembers,
  MemberChange,
  ProvisionedGroup,
  StoredProvisionedGroup,
} from "../store/provisioned-groups.js";
import { type Filter, isUuid } from "../store/scim-filter.js";
import { type Complex, type Document, readValue } from "./attributes.js";
import { applyOperation, type Operation } from "./patch.js";
import { notFound, type Provisioning, record, requireSeen } from "./provisioning.js";
import { refused, type ScimError } from "./scim-error.js";

/** A group as a document of SCIM, without its members: there may be very many. */
function toDocument({ displayName, externalId }: ProvisionedGroup): Document {
  return { displayName, ...(externalId !== null && { externalId }) };
}

function readGroup(document: Document): Pick<ProvisionedGroup, "displayName" | "externalId"> {
  const { displayName, externalId } = document;
  if (typeof displayName !== "string") throw refused("invalidValue", 'A Group needs a "displayName".');
  if (!isGroupName(displayName)) {
    throw refused("invalidValue", '"displayName" has invisible characters, or more than 256.');
  }
  return { displayName, externalId: typeof externalId === "string" ? externalId : null };
}

const noMembers: MemberChange = { added: new Set(), removed: new Set(), replaces: false };

function replaceMembers(items: unknown): MemberChange {
  return { added: readMembers(items), removed: new Set(), replaces: true };
}

/** The members of a document. @throws {ScimError} `invalidValue` */
function readMembers(items: unknown): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { value } of (items ?? []) as readonly Complex[]) {
    if (typeof value !== "string") throw refused("invalidValue", 'Each of "members" needs a "value".');
    if (!isUuid(value)) throw unknownMember(value);
    ids.add(value);
  }
  return ids;
}

function unknownMember(id: string): ScimError {
  const shown = id.slice(0, 100);
  return refused("invalidValue", `"members" names ${shown}, which is no id of a User of this provider.`);
}

/** @throws {ScimError} `uniqueness`, `invalidValue` */
export async function createGroup(
  document: Document,
  provisioning: Provisioning,
): Promise<StoredProvisionedGroup> {
  const { provider, store, at } = provisioning;
  const group: ProvisionedGroup = { id: randomUUID(), providerId: provider.id, ...readGroup(document) };
  await store.provisionedGroups.lockAll(provider.id);
  await requireFree(group, provisioning);
  await store.provisionedGroups.insert(group, at);
  const data = { provider: provider.key, group: group.id, name: group.displayName };
  await record("group.created", provisioning, { data });
  await changeMembers(group, replaceMembers(document["members"]), provisioning);
  return await findGroup(group.id, provisioning);
}

/** Replaces a group by a document; members that it does not name leave. @throws {ScimError} 404, 412, `uniqueness` … */
export async function replaceGroup(
  id: string,
  document: Document,
  provisioning: Provisioning,
): Promise<StoredProvisionedGroup> {
  const members = replaceMembers(document["members"]);
  return await changeGroup({ id, change: () => document, members }, provisioning);
}

/** Applies the operations of a PATCH. @throws {ScimError} 404, 412, `uniqueness`, `invalidValue` … */
export async function patchGroup(
  id: string,
  operations: readonly Operation[],
  provisioning: Provisioning,
): Promise<StoredProvisionedGroup> {
  const isAboutMembers = ({ known }: Operation) => known.name === "members";
  const members = operations.filter(isAboutMembers).reduce(applyToMembers, noMembers);
  const others = operations.filter((operation) => !isAboutMembers(operation));
  const change = (before: Document) => others.reduce(applyOperation, before);
  return await changeGroup({ id, change, members }, provisioning);
}

/** Adds one operation to a change of members, without loading the members. */
function applyToMembers(change: MemberChange, { op, known, path, value }: Operation): MemberChange {
  const { filter, sub } = path;
  if (sub !== undefined) throw refused("mutability", "The parts of a member cannot be changed.");
  if (filter !== undefined) {
    if (op !== "remove") throw refused("invalidPath", 'Members are added with the path "members".');
    return withoutMembers(change, membersOf(filter));
  }
  if (op === "remove") {
    if (value === undefined || value === null) return replaceMembers([]);
    return withoutMembers(change, idsOf(value));
  }
  const items = readValue(known, value) ?? [];
  if (op === "replace") return replaceMembers(items);
  const come = readMembers(items);
  return {
    added: new Set([...change.added, ...come]),
    removed: new Set([...change.removed].filter((id) => !come.has(id))),
    replaces: change.replaces,
  };
}

function withoutMembers(change: MemberChange, ids: ReadonlySet<string>): MemberChange {
  return {
    added: new Set([...change.added].filter((id) => !ids.has(id))),
    removed: new Set([...change.removed, ...ids]),
    replaces: change.replaces,
  };
}

async function changeGroup(
  {
    id,
    change,
    members,
  }: { readonly id: string; readonly change: (before: Document) => Document; readonly members: MemberChange },
  provisioning: Provisioning,
): Promise<StoredProvisionedGroup> {
  const { provider, store, at } = provisioning;
  await store.provisionedGroups.lockAll(provider.id);
  const before = await findGroup(id, provisioning);
  requireSeen(before, provisioning);
  const after: ProvisionedGroup = { ...before, ...readGroup(change(toDocument(before))) };
  const isRenamed = after.displayName !== before.displayName;
  if (isRenamed || after.externalId !== before.externalId) await requireFree(after, provisioning);
  if (isRenamed) await requireUnassigned(after, provisioning);
  const changed = await changeMembers(after, members, provisioning);
  const isSame = !isRenamed && after.externalId === before.externalId;
  if (isSame && changed.added.length === 0 && changed.removed.length === 0) return before;
  await store.provisionedGroups.save(after, at);
  if (isRenamed) {
    const name = { from: before.displayName, to: after.displayName };
    await record("group.renamed", provisioning, { data: { provider: provider.key, group: id, name } });
    const all = (await store.provisionedGroups.listMembers([id])).get(id) ?? [];
    await store.provisionedUsers.refreshGroups({ providerId: provider.id, ids: all }, at);
  }
  return await findGroup(id, provisioning);
}

/** How many people one event names. */
const eventSize = 100;

async function changeMembers(
  group: ProvisionedGroup,
  change: MemberChange,
  provisioning: Provisioning,
): Promise<ChangedMembers> {
  const { provider, store, at } = provisioning;
  const unknown = await store.provisionedGroups.findUnknown(provider.id, change.added);
  if (unknown !== undefined) throw unknownMember(unknown);
  const changed = await store.provisionedGroups.changeMembers(group, change);
  const all = [...changed.added, ...changed.removed];
  if (all.length === 0) return changed;
  await store.provisionedUsers.refreshGroups({ providerId: provider.id, ids: all.map(({ id }) => id) }, at);
  await record("group.changed", provisioning, ...membershipEvents(group, changed, provider.key));
  return changed;
}

/** Several events for a large change: no event names more than so many people. */
function membershipEvents(
  { id: group, displayName: name }: ProvisionedGroup,
  { added, removed }: ChangedMembers,
  provider: string,
) {
  const all = [
    ...added.map(({ userId }) => ({ userId, isAdded: true })),
    ...removed.map(({ userId }) => ({ userId, isAdded: false })),
  ];
  const count = Math.ceil(all.length / eventSize);
  return Array.from({ length: count }, (_, index) => {
    const part = all.slice(index * eventSize, (index + 1) * eventSize);
    const those = (wanted: boolean) =>
      part.flatMap(({ userId, isAdded }) => (isAdded === wanted ? userId : []));
    return { data: { provider, group, name, added: those(true), removed: those(false) } };
  });
}

/** @throws {ScimError} 404, 412 */
export async function removeGroup(id: string, provisioning: Provisioning): Promise<void> {
  const { provider, store } = provisioning;
  await store.provisionedGroups.lockAll(provider.id);
  const group = await findGroup(id, provisioning);
  requireSeen(group, provisioning);
  await changeMembers(group, replaceMembers([]), provisioning);
  await store.provisionedGroups.remove(id);
  const data = { provider: provider.key, group: id, name: group.displayName };
  await record("group.removed", provisioning, { data });
}

/** @throws {ScimError} 404 */
export async function findGroup(
  id: string,
  { store, provider }: Pick<Provisioning, "store" | "provider">,
): Promise<StoredProvisionedGroup> {
  const group = isUuid(id) ? await store.provisionedGroups.find({ providerId: provider.id, id }) : undefined;
  if (group === undefined) throw notFound("Group", id);
  return group;
}

/** @throws {ScimError} `uniqueness` */
async function requireFree(group: ProvisionedGroup, { store }: Provisioning): Promise<void> {
  const other = (await store.provisionedGroups.findTaken(group)).find(({ id }) => id !== group.id);
  if (other === undefined) return;
  const isName = other.displayName.toLowerCase() === group.displayName.toLowerCase();
  const name = isName ? "displayName" : "externalId";
  throw refused("uniqueness", `The Group ${other.id} of this provider has this ${name} already.`);
}

/**
 * Permissions are given to a group by its name, and at the provider more people may rename a group than may decide about permissions here:
 * a name that has permissions is not taken by renaming.
 *
 * @throws {ScimError} `uniqueness`
 */
async function requireUnassigned(group: ProvisionedGroup, { store }: Provisioning): Promise<void> {
  if (!(await store.provisionedGroups.hasAssignments(group))) return;
  throw refused(
    "uniqueness",
    `Permissions are given to a group "${group.displayName}" here, so another group cannot be renamed to it. An administrator can remove those assignments first.`,
  );
}

/** The ids in the value of a removal: `[{ "value": "…" }]`, one such object, or a text. What is no id is no member. */
function idsOf(value: unknown): ReadonlySet<string> {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  const ids = items.map((item) =>
    typeof item === "object" && item !== null && "value" in item ? item.value : item,
  );
  return new Set(ids.filter((id) => typeof id === "string" && isUuid(id)) as string[]);
}

/** The ids that a filter names: `value eq "…"`, or several of them with `or`. @throws {ScimError} `invalidFilter` */
function membersOf(filter: Filter): ReadonlySet<string> {
  if (filter.op === "or") return new Set(filter.filters.flatMap((part) => [...membersOf(part)]));
  if (filter.op === "eq" && filter.attribute === "value" && typeof filter.value === "string") {
    return new Set(isUuid(filter.value) ? [filter.value] : []);
  }
  throw refused("invalidFilter", 'Members are named with value eq "…".');
}
