import type { Database } from "./postgres/database.js";

/** What an identity provider said about a person's groups at the last sign-in there. */
export interface UserGroups {
  readonly userId: string;
  readonly providerId: string;
  readonly groups: readonly string[];
  readonly signedInAt: Date;
  /** From then on the person has to sign in there again for the groups to count. */
  readonly expiresAt: Date;
}

interface UserGroupsRow {
  user_id: string;
  provider_id: string;
  groups: string[];
  signed_in_at: Date;
  expires_at: Date;
}

export function createUserGroupStore(database: Database) {
  return {
    async find({
      userId,
      providerId,
    }: {
      userId: string;
      providerId: string;
    }): Promise<UserGroups | undefined> {
      const row = await database<UserGroupsRow>("user_groups")
        .first()
        .where({ user_id: userId, provider_id: providerId });
      if (row === undefined) return undefined;
      return {
        userId,
        providerId,
        groups: row.groups,
        signedInAt: row.signed_in_at,
        expiresAt: row.expires_at,
      };
    },
    /** Stores the groups in place of those of the last sign-in at the provider. */
    async replace({ userId, providerId, groups, signedInAt, expiresAt }: UserGroups): Promise<void> {
      const said = { groups: [...groups], signed_in_at: signedInAt, expires_at: expiresAt };
      await database("user_groups")
        .insert({ user_id: userId, provider_id: providerId, ...said })
        .onConflict(["user_id", "provider_id"])
        .merge(said);
    },
  };
}
