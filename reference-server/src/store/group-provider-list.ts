import type { GroupProvider } from "./group-providers.js";
import type { Page, PageRequest } from "./page.js";

/** A group provider as administrators see it. */
export interface ListedGroupProvider {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly type: GroupProvider["type"];
  /** Of a claim: the key of the identity provider. */
  readonly identityProvider: string | null;
  /** Of a directory. */
  readonly url: string | null;
  readonly enabled: boolean;
  /** Assignments to its groups. */
  readonly assignments: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}

export type GroupProviderListRequest = PageRequest<"key" | "name"> & {
  readonly type: GroupProvider["type"] | undefined;
  readonly enabled: boolean | undefined;
};

/** A group that somebody is said to be in, or that an assignment names. */
export interface KnownGroup {
  readonly key: string;
  readonly provider: Pick<GroupProvider, "key" | "name" | "type" | "enabled">;
  /** `null` for a group of a directory: only the directory knows. */
  readonly people: number | null;
  readonly assignments: number;
}

/** A group, by the key of its group provider and what that calls it. */
export interface GroupName {
  readonly provider: string;
  readonly key: string;
}

export type GroupListRequest = PageRequest<"key"> & {
  /** Only groups of the group provider with this key. */
  readonly provider: string | undefined;
  readonly now: Date;
};

export interface GroupProviderListStore {
  list(request: GroupProviderListRequest): Promise<Page<ListedGroupProvider>>;
  describe(key: string): Promise<ListedGroupProvider | undefined>;
  count(): Promise<number>;
  listGroups(request: GroupListRequest): Promise<Page<KnownGroup>>;
  /** Those among these groups that somebody has named: an identity provider at a sign-in, or an assignment. */
  findKnownGroups(groups: readonly GroupName[]): Promise<readonly GroupName[]>;
  /** The scopes that assignments give to its groups, in order. */
  listAssignedScopes(id: string): Promise<readonly string[]>;
  /** Removes it, and what a claim has said so far. @throws when an assignment still names one of its groups. */
  remove(id: string): Promise<void>;
}
