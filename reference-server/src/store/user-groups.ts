/** What an identity provider said about a person's groups at the last sign-in there. */
export interface UserGroups {
  readonly userId: string;
  readonly providerId: string;
  readonly groups: readonly string[];
  readonly signedInAt: Date;
  /** From then on the person has to sign in there again for the groups to count. */
  readonly expiresAt: Date;
}

export interface UserGroupStore {
  find(person: { userId: string; providerId: string }): Promise<UserGroups | undefined>;
  /** Stores the groups in place of those of the last sign-in at the provider. */
  replace(groups: UserGroups): Promise<void>;
}
