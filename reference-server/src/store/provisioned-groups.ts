import { type Database, queryRows } from "./postgres/database.js";
import { defineTable, selectVersion, type Versioned } from "./postgres/table.js";
import type { ProvisionedListRequest } from "./provisioned-users.js";
import type { FilterColumns } from "./scim-filter.js";

/** A group as a provider describes it by SCIM. */
export interface ProvisionedGroup {
  /** The `id` of SCIM. */
  readonly id: string;
  readonly providerId: string;
  /** What assignments call it. */
  readonly displayName: string;
  readonly externalId: string | null;
}

export type StoredProvisionedGroup = ProvisionedGroup & Versioned;

/** A change of members: additions and removals, or a replacement. */
export interface MemberChange {
  readonly added: ReadonlySet<string>;
  readonly removed: ReadonlySet<string>;
  /** Only the added stay. */
  readonly replaces: boolean;
}

/** A person in a group: by SCIM's id, and here. */
export interface Member {
  readonly id: string;
  readonly userId: string;
}

export interface ChangedMembers {
  readonly added: readonly Member[];
  readonly removed: readonly Member[];
}

const table = defineTable<ProvisionedGroup>("provisioned_groups", {
  id: "id",
  providerId: "provider_id",
  displayName: "display_name",
  externalId: "external_id",
});

/** What groups can be filtered by. */
export const provisionedGroupColumns: FilterColumns = {
  id: { type: "uuid", sql: "p.id" },
  displayname: { type: "text", sql: "p.display_name" },
  externalid: { type: "exact", sql: "p.external_id" },
  members: {
    type: "list",
    from: "provisioned_members m",
    where: "m.group_id = p.id",
    parts: { "": { type: "uuid", sql: "m.member_id" }, value: { type: "uuid", sql: "m.member_id" } },
  },
  "meta.created": { type: "timestamp", sql: "p.created_at" },
  "meta.lastmodified": { type: "timestamp", sql: "p.updated_at" },
};

const removeMembersSql = `
  DELETE FROM provisioned_members m USING provisioned_users p
  WHERE m.group_id = :id AND p.id = m.member_id AND (m.member_id = ANY (:removed::uuid[]) OR (:replaces AND NOT EXISTS (
    SELECT FROM unnest(:added::uuid[]) AS kept (id) WHERE kept.id = m.member_id)))
  RETURNING p.id, p.user_id AS "userId"`;

const addMembersSql = `
  WITH named AS (
    SELECT p.id, p.user_id FROM provisioned_users p WHERE p.id = ANY (:added::uuid[]) AND p.provider_id = :providerId
  ), added AS (
    INSERT INTO provisioned_members (group_id, member_id) SELECT :id, id FROM named ORDER BY id
    ON CONFLICT DO NOTHING RETURNING member_id
  ) SELECT n.id, n.user_id AS "userId" FROM added a JOIN named n ON n.id = a.member_id`;

export function createProvisionedGroupStore(database: Database) {
  const columns = `${table.select("p")}, ${selectVersion("p")}`;
  const selected = () =>
    database("provisioned_groups AS p").select<StoredProvisionedGroup[]>(database.raw(columns));

  return {
    /**
     * Blocks other changes of groups of this provider until the transaction ends: two requests about the same people could
     * deadlock.
     */
    async lockAll(providerId: string): Promise<void> {
      await database.raw(
        "SELECT pg_advisory_xact_lock(hashtextextended('provisioned_groups', 0) # hashtextextended(?, 0))",
        [providerId],
      );
    },
    async find({ providerId, id }: Pick<ProvisionedGroup, "providerId" | "id">) {
      const [group] = await selected().where({ "p.provider_id": providerId, "p.id": id });
      return group;
    },
    /** What this provider provisions with one of these values. */
    async findTaken({ providerId, displayName, externalId }: Omit<ProvisionedGroup, "id">) {
      return await selected()
        .where("p.provider_id", providerId)
        .whereRaw("(lower(p.display_name) = lower(?) OR p.external_id = ?)", [
          displayName,
          externalId,
        ] as string[]);
    },
    /** Whether assignments give permissions to a group of the provider with this name, or its members own something. */
    async hasAssignments({ providerId, displayName }: Pick<ProvisionedGroup, "providerId" | "displayName">) {
      const rows = await queryRows(
        database,
        `SELECT FROM group_providers r WHERE r.identity_provider_id = ? AND r.type = 'scim' AND (
          EXISTS (SELECT FROM assignments a WHERE a.group_provider_id = r.id AND a.group_key = ?)
          OR EXISTS (SELECT FROM owners o WHERE o.group_provider_id = r.id AND o.group_key = ?))`,
        [providerId, displayName, displayName],
      );
      return rows.length > 0;
    },
    async list({ providerId, condition, offset, limit }: ProvisionedListRequest) {
      const matching = () => {
        const query = database("provisioned_groups AS p").where("p.provider_id", providerId);
        if (condition !== undefined) void query.whereRaw(condition.sql, [...condition.bindings]);
        return query;
      };
      const [count] = await matching().count<{ count: string }[]>();
      const items =
        limit === 0
          ? []
          : await matching()
              .select<StoredProvisionedGroup[]>(database.raw(columns))
              .orderBy(["p.created_at", "p.id"])
              .offset(offset)
              .limit(limit);
      return { total: Number(count?.count), items };
    },
    async insert(group: ProvisionedGroup, at: Date): Promise<void> {
      await database("provisioned_groups").insert({ ...table.toRow(group), created_at: at, updated_at: at });
    },
    /** Stores a changed group, and increments the version. */
    async save({ id, displayName, externalId }: ProvisionedGroup, at: Date): Promise<void> {
      await database("provisioned_groups AS p")
        .where({ id })
        .update({
          display_name: displayName,
          external_id: externalId,
          updated_at: at,
          version: database.raw("p.version + 1"),
        });
    },
    /** Makes the groups of an identity provider known groups of the group provider that takes them from now on. */
    async announce(groupProvider: {
      readonly id: string;
      readonly identityProviderId: string;
    }): Promise<void> {
      await queryRows(
        database,
        `INSERT INTO known_groups (provider_id, key, seen_at)
        SELECT :id, display_name, 'infinity' FROM provisioned_groups WHERE provider_id = :identityProviderId ORDER BY display_name
        ON CONFLICT (provider_id, key) DO UPDATE SET seen_at = excluded.seen_at`,
        groupProvider,
      );
    },
    async remove(id: string): Promise<void> {
      await database("provisioned_groups").where({ id }).delete();
    },
    /** The members of each of these groups, by SCIM's ids. */
    async listMembers(ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
      const rows = await queryRows<{ id: string; members: readonly string[] }>(
        database,
        `SELECT group_id AS id, array_agg(member_id::text ORDER BY member_id) AS members FROM provisioned_members
        WHERE group_id = ANY (:ids::uuid[]) GROUP BY group_id`,
        { ids },
      );
      return new Map(rows.map(({ id, members }) => [id, members]));
    },
    /** Adds and removes members. Ids that are not people of the provider are left out; `findUnknown` names them. */
    async changeMembers(
      { id, providerId }: Pick<ProvisionedGroup, "id" | "providerId">,
      { added, removed, replaces }: MemberChange,
    ): Promise<ChangedMembers> {
      const values = { id, providerId, added: [...added], removed: [...removed], replaces };
      const gone = await queryRows<Member>(database, removeMembersSql, values);
      const come = await queryRows<Member>(database, addMembersSql, values);
      return { added: come, removed: gone };
    },
    /** The first of these ids that is not a person of the provider. */
    async findUnknown(providerId: string, ids: ReadonlySet<string>): Promise<string | undefined> {
      const [row] = await queryRows<{ id: string }>(
        database,
        `SELECT named.id FROM unnest(:ids::uuid[]) AS named (id)
        WHERE NOT EXISTS (SELECT FROM provisioned_users p WHERE p.id = named.id AND p.provider_id = :providerId) LIMIT 1`,
        { ids: [...ids], providerId },
      );
      return row?.id;
    },
  };
}
