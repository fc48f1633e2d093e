import type { ClientListStore, ListedClient } from "../client-list.js";
import type { Database } from "./database.js";
import { type PageColumns, selectPage } from "./page.js";
import { whereWords } from "./word-search.js";

const columns: PageColumns<"name" | "id"> = {
  id: { sql: "c.id", type: "text" },
  sorts: { name: { sql: "lower(c.name)", type: "text" }, id: { sql: "c.id", type: "text" } },
};

const listedSql = `c.id, c.name, c.type, c.redirect_uris AS "redirectUris", c.keys, c.dpop_bound AS "dpopBound",
  c.built_in AS "builtIn", c.enabled, c.version, c.created_at AS "createdAt", c.updated_at AS "updatedAt",
  ARRAY(SELECT m.scope_key FROM machine_scopes m WHERE m.client_id = c.id ORDER BY m.scope_key) AS "machineScopes",
  (SELECT count(*)::integer FROM grants g
    WHERE g.client_id = c.id AND g.revoked_at IS NULL AND g.expires_at > :now) AS "logIns"`;

export function createClientListStore(database: Database): ClientListStore {
  const listed = (now: Date) => database("clients AS c").select(database.raw(listedSql, { now }));

  return {
    async list({ type, enabled, now, ...request }) {
      const query = listed(now);
      if (type !== undefined) void query.where("c.type", type);
      if (enabled !== undefined) void query.where("c.enabled", enabled);
      whereWords(query, "c.words", request.q);
      return await selectPage(query, { columns, request });
    },
    async describe(id, now) {
      const [row] = (await listed(now).where("c.id", id)) as ListedClient[];
      return row;
    },
    remove: async (id) => (await database("clients").where({ id }).delete()) > 0,
  };
}
