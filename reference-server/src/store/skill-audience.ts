import { containsPattern, type Page, type PageColumns, type PageRequest, selectPage } from "./page.js";
import { holdersSql } from "./permission-holders.js";
import type { Database } from "./postgres/database.js";

/** Somebody who has every one of some scopes. */
interface AudienceMember {
  /** `null`: has never signed in with this address. */
  readonly id: string | null;
  readonly email: string;
  readonly name: string | null;
}

const pageColumns: PageColumns<"email"> = {
  id: { sql: "h.email", type: "text" },
  sorts: { email: { sql: "h.email", type: "text" } },
};

/** Every holder of each scope is there once. */
const audienceSql = `(
  SELECT email FROM (${holdersSql}) AS held GROUP BY email HAVING count(*) = cardinality(:scopes::text[])) AS h`;

/** People who have all of some scopes, as far as the database can say. */
export function createSkillAudienceStore(database: Database) {
  const audience = (scopes: readonly string[], now: Date) =>
    database.raw(audienceSql, { scopes: [...new Set(scopes)], now });

  return {
    async count({ scopes, now }: { scopes: readonly string[]; now: Date }): Promise<number> {
      const row = await database
        .from(audience(scopes, now))
        .count<{ count: string }[]>({ count: "*" })
        .first();
      return Number(row?.count ?? 0);
    },
    async listPage({
      scopes,
      now,
      ...request
    }: PageRequest<"email"> & { readonly scopes: readonly string[]; readonly now: Date }): Promise<
      Page<AudienceMember>
    > {
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
