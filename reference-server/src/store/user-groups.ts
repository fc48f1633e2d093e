import type { Database } from "./postgres/database.js";
import { defineTable } from "./postgres/table.js";

/** A person's groups according to an identity provider at the last sign-in or confirmation there. */
interface UserGroups {
  readonly userId: string;
  readonly providerId: string;
  readonly groups: readonly string[];
  /** The provider has groups of the person that it did not name: what they would give is undecided. */
  readonly unavailable: boolean;
  readonly signedInAt: Date;
  /** From then on the provider has to name them again for the groups to count. */
  readonly expiresAt: Date;
}

const table = defineTable<UserGroups>("user_groups", {
  userId: "user_id",
  providerId: "provider_id",
  groups: "groups",
  unavailable: "unavailable",
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
    /** Replaces what the provider said before. */
    async replace(groups: UserGroups): Promise<void> {
      await database("user_groups")
        .insert(table.toRow(groups))
        .onConflict(["user_id", "provider_id"])
        .merge();
    },
  };
}
