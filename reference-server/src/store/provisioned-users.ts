import { type Database, queryRows } from "./postgres/database.js";
import { defineTable, json, selectVersion, type Versioned } from "./postgres/table.js";
import type { Condition, FilterColumns } from "./scim-filter.js";

/** A person as a provider describes them by SCIM. */
export interface ProvisionedUser {
  /** The `id` of SCIM. */
  readonly id: string;
  readonly providerId: string;
  readonly userId: string;
  readonly userName: string;
  readonly externalId: string | null;
  readonly displayName: string | null;
  readonly formattedName: string | null;
  readonly familyName: string | null;
  readonly givenName: string | null;
  readonly emails: readonly ProvisionedEmail[];
  readonly active: boolean;
}

export interface ProvisionedEmail {
  readonly value?: string;
  readonly type?: string;
  readonly primary?: boolean;
}

export type StoredProvisionedUser = ProvisionedUser & Versioned;

/** A part of a list as SCIM asks for it. */
export interface ProvisionedListRequest {
  readonly providerId: string;
  readonly condition: Condition | undefined;
  /** How many come before. */
  readonly offset: number;
  readonly limit: number;
}

export interface ProvisionedList<Item> {
  readonly total: number;
  readonly items: readonly Item[];
}

/** How many people and groups a provider provisions. */
export interface ProvisionedCounts {
  readonly active: number;
  readonly inactive: number;
  readonly groups: number;
}

const table = defineTable<ProvisionedUser>("provisioned_users", {
  id: "id",
  providerId: "provider_id",
  userId: "user_id",
  userName: "user_name",
  externalId: "external_id",
  displayName: "display_name",
  formattedName: "formatted_name",
  familyName: "family_name",
  givenName: "given_name",
  emails: json("emails"),
  active: "active",
});

/** Entra ID filters by managers, which are not kept, so no person has one. */
const unassigned = { type: "text", sql: "NULL::text" } as const;

/** What people can be filtered by. */
export const provisionedUserColumns: FilterColumns = {
  id: { type: "uuid", sql: "p.id" },
  username: { type: "text", sql: "p.user_name" },
  externalid: { type: "exact", sql: "p.external_id" },
  displayname: { type: "text", sql: "p.display_name" },
  "name.formatted": { type: "text", sql: "p.formatted_name" },
  "name.familyname": { type: "text", sql: "p.family_name" },
  "name.givenname": { type: "text", sql: "p.given_name" },
  active: { type: "boolean", sql: "p.active" },
  manager: unassigned,
  "urn:ietf:params:scim:schemas:extension:enterprise:2.0:user:manager": unassigned,
  emails: {
    type: "list",
    from: 'jsonb_to_recordset(p.emails) AS e (value text, type text, "primary" boolean)',
    parts: {
      "": { type: "text", sql: "e.value" },
      value: { type: "text", sql: "e.value" },
      type: { type: "text", sql: "e.type" },
      primary: { type: "boolean", sql: 'coalesce(e."primary", false)' },
    },
    indexed: "p.email_values @> ARRAY[lower(?)]",
  },
  "meta.created": { type: "timestamp", sql: "p.created_at" },
  "meta.lastmodified": { type: "timestamp", sql: "p.updated_at" },
};

/**
 * The groups of people by SCIM as what issuance reads, as far as a group provider takes them. A group's first thousand members of a
 * person's memberships count, as in a claim.
 */
const refreshSql = `
  INSERT INTO user_groups (user_id, provider_id, groups, signed_in_at, expires_at)
  SELECT p.user_id, p.provider_id,
    coalesce((array_agg(g.display_name ORDER BY g.display_name) FILTER (WHERE g.id IS NOT NULL))[1:1000], '{}'), :at, 'infinity'
  FROM provisioned_users p
    JOIN group_providers r ON r.identity_provider_id = p.provider_id AND r.type = 'scim'
    LEFT JOIN provisioned_members m ON m.member_id = p.id
    LEFT JOIN provisioned_groups g ON g.id = m.group_id
  WHERE p.provider_id = :providerId AND (:all OR p.id = ANY (:ids::uuid[]))
  GROUP BY p.user_id, p.provider_id ORDER BY p.user_id
  ON CONFLICT (user_id, provider_id) DO UPDATE SET groups = excluded.groups, signed_in_at = excluded.signed_in_at,
    expires_at = excluded.expires_at
  WHERE user_groups.groups IS DISTINCT FROM excluded.groups OR user_groups.expires_at <> 'infinity'`;

/** Some people of a provider by SCIM's ids, or all of them. */
interface RefreshedGroups {
  readonly providerId: string;
  readonly ids: readonly string[] | "all";
}

/** Makes the groups of people count; call it in the transaction that changes them. */
async function refreshGroups(
  database: Database,
  { providerId, ids }: RefreshedGroups,
  at: Date,
): Promise<void> {
  const all = ids === "all";
  await queryRows(database, refreshSql, { providerId, all, ids: all ? [] : ids, at });
}

async function forgetGroups(
  database: Database,
  { userId, providerId }: Pick<ProvisionedUser, "userId" | "providerId">,
): Promise<void> {
  await database("user_groups")
    .where({ user_id: userId, provider_id: providerId, expires_at: "infinity" })
    .delete();
}

/** Moves a provider's record to another person, unless that person has one already. */
export async function moveProvisioned(
  database: Database,
  { id, userId, providerId }: Pick<ProvisionedUser, "id" | "userId" | "providerId">,
  { to, at }: { readonly to: string; readonly at: Date },
): Promise<void> {
  const moved = await database("provisioned_users")
    .where({ id })
    .whereNotExists(database("provisioned_users").where({ provider_id: providerId, user_id: to }))
    .update({ user_id: to });
  if (moved === 0) return;
  await forgetGroups(database, { userId, providerId });
  await refreshGroups(database, { providerId, ids: [id] }, at);
}

export function createProvisionedUserStore(database: Database) {
  const selected = () =>
    database("provisioned_users AS p").select<StoredProvisionedUser[]>(
      database.raw(`${table.select("p")}, ${selectVersion("p")}`),
    );

  return {
    async find({ providerId, id }: Pick<ProvisionedUser, "providerId" | "id">) {
      const [user] = await selected().where({ "p.provider_id": providerId, "p.id": id });
      return user;
    },
    /** The same, and blocks other changes of this person by SCIM until the transaction ends. */
    async lock({ providerId, id }: Pick<ProvisionedUser, "providerId" | "id">) {
      const [user] = await selected().where({ "p.provider_id": providerId, "p.id": id }).forNoKeyUpdate();
      return user;
    },
    /** What this provider provisions with one of these values. */
    async findTaken({
      providerId,
      userName,
      externalId,
    }: Pick<ProvisionedUser, "providerId" | "userName" | "externalId">) {
      return await selected()
        .where("p.provider_id", providerId)
        .whereRaw("(lower(p.user_name) = lower(?) OR p.external_id = ?)", [userName, externalId] as string[]);
    },
    /** A person as this provider describes them. */
    async findOfPerson({ providerId, userId }: Pick<ProvisionedUser, "providerId" | "userId">) {
      const [user] = await selected().where({ "p.provider_id": providerId, "p.user_id": userId });
      return user;
    },
    async list({ providerId, condition, offset, limit }: ProvisionedListRequest) {
      const matching = () => {
        const query = database("provisioned_users AS p").where("p.provider_id", providerId);
        if (condition !== undefined) void query.whereRaw(condition.sql, [...condition.bindings]);
        return query;
      };
      const [count] = await matching().count<{ count: string }[]>();
      const items =
        limit === 0
          ? []
          : await matching()
              .select<StoredProvisionedUser[]>(database.raw(`${table.select("p")}, ${selectVersion("p")}`))
              .orderBy(["p.created_at", "p.id"])
              .offset(offset)
              .limit(limit);
      return { total: Number(count?.count), items };
    },
    async insert(user: ProvisionedUser, at: Date): Promise<void> {
      await database("provisioned_users").insert({ ...table.toRow(user), created_at: at, updated_at: at });
    },
    /** Stores a changed person, and increments the version. */
    async save({ id, ...user }: ProvisionedUser, at: Date): Promise<StoredProvisionedUser> {
      const [saved] = await database("provisioned_users AS p")
        .where({ id })
        .update({ ...table.toRow(user), updated_at: at, version: database.raw("p.version + 1") })
        .returning<StoredProvisionedUser[]>(database.raw(`${table.select("p")}, ${selectVersion("p")}`));
      if (saved === undefined) throw new Error("The person disappeared during a change by SCIM.");
      return saved;
    },
    /** Removes a person from the provider, with the groups there; the account stays linked. */
    async remove({ id, providerId, userId }: ProvisionedUser): Promise<void> {
      await database("provisioned_users").where({ id }).delete();
      await forgetGroups(database, { userId, providerId });
    },
    /** The people whose account at the provider has this claim. */
    async findByClaim({
      providerId,
      claim,
      value,
    }: {
      readonly providerId: string;
      readonly claim: "sub" | "oid";
      readonly value: string;
    }): Promise<readonly string[]> {
      const column = claim === "sub" ? "subject" : "oid";
      const rows = await database("user_identities")
        .where({ provider_id: providerId, [column]: value })
        .limit(2)
        .select<{ user_id: string }[]>("user_id");
      return rows.map(({ user_id: id }) => id);
    },
    /** Whether the person is inactive at a provider other than this one. */
    async isInactiveElsewhere({ userId, providerId }: Pick<ProvisionedUser, "userId" | "providerId">) {
      const row: unknown = await database("provisioned_users")
        .first("id")
        .where({ user_id: userId, active: false })
        .whereNot({ provider_id: providerId });
      return row !== undefined;
    },
    refreshGroups: (of: RefreshedGroups, at: Date): Promise<void> => refreshGroups(database, of, at),
    async count(providerId: string): Promise<ProvisionedCounts> {
      const [counts] = await queryRows<ProvisionedCounts>(
        database,
        `SELECT count(*) FILTER (WHERE active)::integer AS active, count(*) FILTER (WHERE NOT active)::integer AS inactive,
          (SELECT count(*)::integer FROM provisioned_groups g WHERE g.provider_id = :providerId) AS groups
        FROM provisioned_users p WHERE p.provider_id = :providerId`,
        { providerId },
      );
      return counts ?? { active: 0, inactive: 0, groups: 0 };
    },
  };
}
