import type { SessionListStore } from "../session-list.js";
import type { Database } from "./database.js";
import { type PageColumns, selectPage } from "./page.js";
import { whereWords } from "./word-search.js";

const columns: PageColumns<"signedInAt"> = {
  id: { sql: "s.id", type: "uuid" },
  sorts: { signedInAt: { sql: "s.signed_in_at", type: "timestamptz" } },
};

const listedSql = `s.id, s.auth_time AS "authTime", s.amr, s.signed_in_at AS "signedInAt", s.expires_at AS "expiresAt",
  s.user_agent AS "userAgent", json_build_object('id', u.id, 'email', u.email, 'name', u.name) AS user,
  json_build_object('key', i.key, 'name', i.name) AS provider`;

export function createSessionListStore(database: Database): SessionListStore {
  return {
    async list({ userId, provider, now, ...request }) {
      const query = database("browser_sessions AS s")
        .join("users AS u", "u.id", "s.user_id")
        .join("identity_providers AS i", "i.id", "s.provider_id")
        .select(database.raw(listedSql))
        .where("s.expires_at", ">", now)
        .where("i.enabled", true);
      if (userId !== undefined) void query.where("s.user_id", userId);
      if (provider !== undefined) {
        void query.where(
          "s.provider_id",
          database("identity_providers").select("id").where({ key: provider }),
        );
      }
      whereWords(query, "u.words", request.q);
      return await selectPage(query, { columns, request });
    },
    async countLive({ providerId, now }) {
      const [row] = await database("browser_sessions")
        .where({ provider_id: providerId })
        .where("expires_at", ">", now)
        .count<{ count: string }[]>();
      return Number(row?.count);
    },
    async removeMany(ids) {
      const rows = await database("browser_sessions")
        .whereIn("id", [...ids])
        .delete()
        .returning<{ id: string; user_id: string }[]>(["id", "user_id"]);
      return rows.map((row) => ({ id: row.id, userId: row.user_id }));
    },
  };
}
