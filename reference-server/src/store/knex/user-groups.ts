import type { UserGroupStore } from "../user-groups.js";
import type { Database } from "./database.js";

interface UserGroupsRow {
  user_id: string;
  provider_id: string;
  groups: string[];
  signed_in_at: Date;
  expires_at: Date;
}

export function createUserGroupStore(database: Database): UserGroupStore {
  return {
    async find({ userId, providerId }) {
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
    async replace({ userId, providerId, groups, signedInAt, expiresAt }) {
      const said = { groups: [...groups], signed_in_at: signedInAt, expires_at: expiresAt };
      await database("user_groups")
        .insert({ user_id: userId, provider_id: providerId, ...said })
        .onConflict(["user_id", "provider_id"])
        .merge(said);
    },
  };
}
