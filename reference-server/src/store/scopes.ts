/** A permission: `namespace:permission`, the same text as on the wire. */
export interface Scope {
  readonly key: string;
  readonly description: string;
  /** System scopes are created at start and cannot be changed. */
  readonly system: boolean;
}

export interface ScopeStore {
  /** The known ones among the given keys, by key. */
  findAll(keys: readonly string[]): Promise<readonly Scope[]>;
  /** Inserts or replaces the row with this key. */
  save(scope: Scope, at: Date): Promise<void>;
  /** Returns whether the row was new; an existing row stays as it is. */
  insertMissing(scope: Scope, at: Date): Promise<boolean>;
}
