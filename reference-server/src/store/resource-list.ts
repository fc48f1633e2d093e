import type { Page, PageRequest } from "./page.js";
import type { Resource } from "./resources.js";

/** A resource as administrators see it. */
export interface ListedResource extends Resource {
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}

/** A prefix that a resource has. */
export interface ResourcePrefix {
  /** Of the resource. */
  readonly key: string;
  readonly prefix: string;
}

export type ResourceListRequest = PageRequest<"name" | "key" | "createdAt"> & {
  readonly enabled: boolean | undefined;
  /** Only resources that support it. */
  readonly scope: string | undefined;
};

export interface ResourceListStore {
  list(request: ResourceListRequest): Promise<Page<ListedResource>>;
  describe(key: string): Promise<ListedResource | undefined>;
  /** The resources that have one of these prefixes, to the letter. */
  findByPrefixes(prefixes: readonly string[]): Promise<readonly ResourcePrefix[]>;
  /** Every prefix that begins with this origin. */
  listPrefixesAt(origin: string): Promise<readonly ResourcePrefix[]>;
  /** Removes the resource, its supported scopes and the copy of its skill catalog. */
  remove(id: string): Promise<void>;
}
