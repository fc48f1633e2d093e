import type { AudienceMember, SkillAudienceStore } from "../skill-audience.js";
import type { Database } from "./database.js";
import { containsPattern, type PageColumns, selectPage } from "./page.js";
import { holdersSql } from "./permission-holders.js";

const pageColumns: PageColumns<"email"> = {
  id: { sql: "h.email", type: "text" },
  sorts: { email: { sql: "h.email", type: "text" } },
};

/** Every holder of each scope is there once. */
const audienceSql = `(
  SELECT email FROM (${holdersSql}) AS held GROUP BY email HAVING count(*) = cardinality(:scopes::text[])) AS h`;

export function createSkillAudienceStore(database: Database): SkillAudienceStore {
  const audience = (scopes: readonly string[], now: Date) =>
    database.raw(audienceSql, { scopes: [...new Set(scopes)], now });

  return {
    async count({ scopes, now }) {
      const row = await database
        .from(audience(scopes, now))
        .count<{ count: string }[]>({ count: "*" })
        .first();
      return Number(row?.count ?? 0);
    },
    async listPage({ scopes, now, ...request }) {
      const query = database
        .from(audience(scopes, now))
        .leftJoin("users AS u", "u.email", "h.email")
        .select({ id: "u.id", email: "h.email", name: "u.name" });
      if (request.q !== undefined) {
        void query.whereRaw("lower(concat_ws(' ', h.email, u.name)) LIKE ?", [containsPattern(request.q)]);
      }
      return await selectPage<AudienceMember, "email">(query, { columns: pageColumns, request });
    },
  };
}
