import type { Database } from "./postgres/database.js";
import { defineTable } from "./postgres/table.js";

/** A person's groups according to an identity provider at the last sign-in there. */
interface UserGroups {
  readonly userId: string;
  readonly providerId: string;
  readonly groups: readonly string[];
  readonly signedInAt: Date;
  /** From then on the person has to sign in there again for the groups to count. */
  readonly expiresAt: Date;
}

const table = defineTable<UserGroups>("user_groups", {
  userId: "user_id",
  providerId: "provider_id",
  groups: "groups",
  signedInAt: "signed_in_at",
  expiresAt: "expires_at",
});

export function createUserGroupStore(database: Database) {
  return {
    async find({
      userId,
      providerId,
    }: Pick<UserGroups, "userId" | "providerId">): Promise<UserGroups | undefined> {
      const [groups] = await database("user_groups")
        .select<UserGroups[]>(database.raw(table.select()))
        .where({ user_id: userId, provider_id: providerId });
      return groups;
    },
    /** Replaces the groups of the last sign-in at the provider. */
    async replace(groups: UserGroups): Promise<void> {
      await database("user_groups")
        .insert(table.toRow(groups))
        .onConflict(["user_id", "provider_id"])
        .merge();
    },
  };
}
