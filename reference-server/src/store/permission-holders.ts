/** Somebody who has a scope now, as far as the database can say. */
export interface PermissionHolder {
  readonly scope: string;
  /** Lower case. The person may never have signed in. */
  readonly email: string;
}

/** A group that has a scope, of a directory: nobody knows how many people are in it. */
export interface UncountedGroup {
  readonly scope: string;
  readonly provider: string;
  readonly key: string;
  readonly name: string;
}

export interface PermissionHolderStore {
  /**
   * Everybody who has one of these scopes: by address, or by a group that an identity provider named.
   *
   * @param emails - looks at these addresses only; everybody when absent
   */
  list(
    scopes: readonly string[],
    now: Date,
    emails?: readonly string[],
  ): Promise<readonly PermissionHolder[]>;
  /** The groups of enabled directories that have one of these scopes. */
  listUncountedGroups(scopes: readonly string[]): Promise<readonly UncountedGroup[]>;
  /** Whether somebody who can sign in has a scope: an enabled person, or an address that an enabled provider lets in. */
  someoneHas(scope: string, now: Date): Promise<boolean>;
}
