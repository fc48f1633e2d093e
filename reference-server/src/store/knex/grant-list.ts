import type { GrantListStore, RevokedGrant } from "../grant-list.js";
import type { RevocationReason } from "../grants.js";
import type { Database } from "./database.js";
import { type PageColumns, selectPage } from "./page.js";
import { whereWords } from "./word-search.js";

const columns: PageColumns<"createdAt"> = {
  id: { sql: "g.id", type: "uuid" },
  sorts: { createdAt: { sql: "g.created_at", type: "timestamptz" } },
};

const listedSql = `g.id, g.jkt, g.scopes, g.auth_time AS "authTime", g.amr, g.created_at AS "createdAt",
  g.expires_at AS "expiresAt", g.revoked_at AS "revokedAt", g.revocation_reason AS "revocationReason",
  json_build_object('id', u.id, 'email', u.email, 'name', u.name) AS user,
  json_build_object('id', c.id, 'name', c.name) AS client`;

export function createGrantListStore(database: Database): GrantListStore {
  async function revoke(
    condition: { column: "id" | "user_id"; values: readonly string[] },
    { reason, at }: { reason: RevocationReason; at: Date },
  ): Promise<readonly RevokedGrant[]> {
    const rows = await database("grants")
      .whereIn(condition.column, [...condition.values])
      .where({ revoked_at: null })
      .where("expires_at", ">", at)
      .update({ revoked_at: at, revocation_reason: reason })
      .returning<{ id: string; user_id: string; client_id: string }[]>(["id", "user_id", "client_id"]);
    return rows.map((row) => ({ id: row.id, userId: row.user_id, clientId: row.client_id }));
  }

  return {
    async list({ userId, clientId, state, now, ...request }) {
      const query = database("grants AS g")
        .join("users AS u", "u.id", "g.user_id")
        .join("clients AS c", "c.id", "g.client_id")
        .select(database.raw(listedSql));
      if (userId !== undefined) void query.where("g.user_id", userId);
      if (clientId !== undefined) void query.where("g.client_id", clientId);
      if (state === "live") void query.whereNull("g.revoked_at").where("g.expires_at", ">", now);
      if (state === "ended") void query.whereRaw("(g.revoked_at IS NOT NULL OR g.expires_at <= ?)", [now]);
      whereWords(query, "u.words", request.q);
      return await selectPage(query, { columns, request });
    },
    revokeMany: ({ ids, ...revocation }) => revoke({ column: "id", values: ids }, revocation),
    revokeAll: ({ userId, ...revocation }) => revoke({ column: "user_id", values: [userId] }, revocation),
  };
}
