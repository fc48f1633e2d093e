import type { ClaimedUserGroups, ListedUser, UserIdentity, UserListStore } from "../user-list.js";
import type { Database } from "./database.js";
import { type PageColumns, selectPage } from "./page.js";
import { whereWords } from "./word-search.js";

const columns: PageColumns<"email" | "name" | "lastSignedInAt" | "createdAt"> = {
  id: { sql: "u.id", type: "uuid" },
  sorts: {
    email: { sql: "coalesce(u.email, '')", type: "text" },
    name: { sql: "lower(coalesce(u.name, ''))", type: "text" },
    lastSignedInAt: { sql: "coalesce(u.last_signed_in_at, '-infinity')", type: "timestamptz" },
    createdAt: { sql: "u.created_at", type: "timestamptz" },
  },
};

const listedSql = `u.id, u.email, u.name, u.enabled, u.version, u.last_signed_in_at AS "lastSignedInAt",
  u.created_at AS "createdAt",
  (SELECT count(*)::integer FROM browser_sessions s JOIN identity_providers i ON i.id = s.provider_id AND i.enabled
    WHERE s.user_id = u.id AND s.expires_at > :now) AS sessions,
  (SELECT count(*)::integer FROM grants g
    WHERE g.user_id = u.id AND g.revoked_at IS NULL AND g.expires_at > :now) AS "logIns"`;

export function createUserListStore(database: Database): UserListStore {
  const listed = (now: Date) => database("users AS u").select(database.raw(listedSql, { now }));

  return {
    async list({ enabled, now, ...request }) {
      const query = listed(now);
      if (enabled !== undefined) void query.where("u.enabled", enabled);
      whereWords(query, "u.words", request.q);
      return await selectPage(query, { columns, request });
    },
    async describe(id, now) {
      const [row] = (await listed(now).where("u.id", id)) as ListedUser[];
      return row;
    },
    async lock(id) {
      const row: unknown = await database("users").first("id").where({ id }).forUpdate();
      return row !== undefined;
    },
    async listIdentities(userId) {
      const rows = await database("user_identities AS a")
        .join("identity_providers AS i", "i.id", "a.provider_id")
        .where("a.user_id", userId)
        .orderBy("i.key")
        .select<(ProviderRow & Omit<UserIdentity, "provider">)[]>(
          "i.key",
          "i.name",
          "i.enabled",
          "a.subject",
          {
            createdAt: "a.created_at",
          },
        );
      return rows.map(({ key, name, enabled, ...rest }) => ({ provider: { key, name, enabled }, ...rest }));
    },
    async listClaimedGroups(userId, now) {
      const rows = await database("user_groups AS g")
        .join("group_providers AS p", "p.identity_provider_id", "g.provider_id")
        .where("g.user_id", userId)
        .where("g.expires_at", ">", now)
        .orderBy("p.key")
        .select<(ProviderRow & Omit<ClaimedUserGroups, "provider">)[]>("p.key", "p.name", "p.enabled", {
          keys: "g.groups",
          signedInAt: "g.signed_in_at",
          expiresAt: "g.expires_at",
        });
      return rows.map(({ key, name, enabled, ...rest }) => ({ provider: { key, name, enabled }, ...rest }));
    },
    async countDependent(providerId) {
      const { rows } = await database.raw<{ rows: { count: number }[] }>(
        `SELECT count(*)::integer AS count
        FROM user_identities a JOIN users u ON u.id = a.user_id AND u.enabled AND u.email IS NOT NULL
        WHERE a.provider_id = :providerId AND NOT EXISTS (
          SELECT FROM user_identities o JOIN identity_providers i ON i.id = o.provider_id AND i.enabled
          WHERE o.user_id = a.user_id AND o.provider_id <> :providerId)`,
        { providerId },
      );
      return rows[0]?.count ?? 0;
    },
  };
}

interface ProviderRow {
  readonly key: string;
  readonly name: string;
  readonly enabled: boolean;
}
