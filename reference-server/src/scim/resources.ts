import {
  type ProvisionedGroup,
  provisionedGroupColumns,
  type StoredProvisionedGroup,
} from "../store/provisioned-groups.js";
import {
  type ProvisionedList,
  type ProvisionedListRequest,
  provisionedUserColumns,
  type StoredProvisionedUser,
} from "../store/provisioned-users.js";
import type { FilterColumns } from "../store/scim-filter.js";
import type { Store } from "../store/store.js";
import { type Document, groupResource, type ResourceSchema, userResource } from "./attributes.js";
import { createGroup, findGroup, patchGroup, removeGroup, replaceGroup } from "./groups.js";
import { applyOperation, type Operation } from "./patch.js";
import type { Provisioning, StoredResource } from "./provisioning.js";
import { changeUser, createUser, findUser, removeUser, toUserDocument } from "./users.js";

/** What the routes of one kind of resource do. */
export interface ResourceKind<Item extends StoredResource> {
  readonly path: "Users" | "Groups";
  readonly resource: ResourceSchema;
  readonly columns: FilterColumns;
  readonly find: (id: string, reading: Pick<Provisioning, "store" | "provider">) => Promise<Item>;
  readonly list: (store: Store, request: ProvisionedListRequest) => Promise<ProvisionedList<Item>>;
  readonly create: (document: Document, provisioning: Provisioning) => Promise<Item>;
  readonly replace: (id: string, document: Document, provisioning: Provisioning) => Promise<Item>;
  readonly patch: (id: string, operations: readonly Operation[], provisioning: Provisioning) => Promise<Item>;
  readonly remove: (id: string, provisioning: Provisioning) => Promise<void>;
  /** The attributes of each item, without what every resource has. `members`: whether those of groups are wanted. */
  readonly describe: (items: readonly Item[], showing: Showing) => Promise<readonly Document[]>;
  /** Whether a PATCH is answered with the resource: not with thousands of members (RFC 7644 §3.5.2 allows 204). */
  readonly answersPatch: boolean;
}

interface Showing {
  readonly store: Store;
  readonly base: string;
  readonly members: boolean;
}

export const users: ResourceKind<StoredProvisionedUser> = {
  path: "Users",
  resource: userResource,
  columns: provisionedUserColumns,
  find: findUser,
  list: (store, request) => store.provisionedUsers.list(request),
  create: createUser,
  replace: (id, document, provisioning) => changeUser(id, () => document, provisioning),
  patch: (id, operations, provisioning) =>
    changeUser(id, (before) => operations.reduce(applyOperation, before), provisioning),
  remove: removeUser,
  describe: async (items) => items.map(toUserDocument),
  answersPatch: true,
};

export const groups: ResourceKind<StoredProvisionedGroup> = {
  path: "Groups",
  resource: groupResource,
  columns: provisionedGroupColumns,
  find: findGroup,
  list: (store, request) => store.provisionedGroups.list(request),
  create: createGroup,
  replace: replaceGroup,
  patch: patchGroup,
  remove: removeGroup,
  async describe(items, { store, base, members }) {
    const byGroup = members
      ? await store.provisionedGroups.listMembers(items.map(({ id }) => id))
      : new Map<string, readonly string[]>();
    return items.map((group) => describeGroup(group, { ids: byGroup.get(group.id) ?? [], base, members }));
  },
  answersPatch: false,
};

function describeGroup(
  { displayName, externalId }: ProvisionedGroup,
  {
    ids,
    base,
    members,
  }: { readonly ids: readonly string[]; readonly base: string; readonly members: boolean },
): Document {
  return {
    displayName,
    ...(externalId !== null && { externalId }),
    ...(members && { members: ids.map((id) => ({ value: id, $ref: `${base}/Users/${id}`, type: "User" })) }),
  };
}
