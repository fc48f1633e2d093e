import type { Page, PageRequest } from "./page.js";
import type { Scope } from "./scopes.js";

/** A scope as administrators see it. */
export interface ListedScope extends Scope {
  /** The keys of the resources that support it. */
  readonly resources: readonly string[];
  /** How many assignments give it to somebody. */
  readonly assignments: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}

/** What keeps a scope from being removed. */
export interface ScopeUses {
  readonly assignments: number;
  readonly resources: readonly string[];
  readonly machineClients: readonly string[];
  /** The keys of the connectors that require it. */
  readonly connectors: readonly string[];
  /** The installation's own. */
  readonly skills: readonly string[];
}

export type ScopeListRequest = PageRequest<"key" | "createdAt"> & { readonly system: boolean | undefined };

export interface ScopeListStore {
  list(request: ScopeListRequest): Promise<Page<ListedScope>>;
  describe(key: string): Promise<ListedScope | undefined>;
  findUses(key: string): Promise<ScopeUses>;
  /** Call it for a scope that is not used. */
  remove(key: string): Promise<void>;
}
