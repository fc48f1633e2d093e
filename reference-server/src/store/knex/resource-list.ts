import type { ListedResource, ResourceListStore, ResourcePrefix } from "../resource-list.js";
import type { Database } from "./database.js";
import { type PageColumns, selectPage } from "./page.js";
import { whereWords } from "./word-search.js";

const columns: PageColumns<"name" | "key" | "createdAt"> = {
  id: { sql: "r.key", type: "text" },
  sorts: {
    name: { sql: "lower(r.name)", type: "text" },
    key: { sql: "r.key", type: "text" },
    createdAt: { sql: "r.created_at", type: "timestamptz" },
  },
};

const listedSql = `r.id, r.key, r.name, r.resource, r.authorization_server AS "authorizationServer",
  r.client_id AS "clientId", r.request_prefixes AS "requestPrefixes", r.enabled,
  r.skill_discovery AS "skillDiscovery", r.allows_bearer AS "allowsBearer",
  ARRAY(SELECT s.scope_key FROM resource_scopes s WHERE s.resource_id = r.id ORDER BY s.scope_key) AS "supportedScopes",
  r.created_at AS "createdAt", r.updated_at AS "updatedAt", r.version`;

export function createResourceListStore(database: Database): ResourceListStore {
  const listed = () => database("resources AS r").select(database.raw(listedSql));

  return {
    async list({ enabled, scope, ...request }) {
      const query = listed();
      if (enabled !== undefined) void query.where("r.enabled", enabled);
      if (scope !== undefined) {
        void query.whereRaw(
          "EXISTS (SELECT FROM resource_scopes s WHERE s.resource_id = r.id AND s.scope_key = ?)",
          [scope],
        );
      }
      whereWords(query, "r.words", request.q);
      return await selectPage(query, { columns, request });
    },
    async describe(key) {
      const [row] = (await listed().where("r.key", key)) as ListedResource[];
      return row;
    },
    async findByPrefixes(prefixes) {
      const { rows } = await database.raw<{ rows: ResourcePrefix[] }>(
        `SELECT r.key, p.prefix FROM resources r, unnest(r.request_prefixes) AS p (prefix)
        WHERE r.request_prefixes && :prefixes::text[] AND p.prefix = ANY (:prefixes::text[]) ORDER BY r.key, p.prefix`,
        { prefixes: [...prefixes] },
      );
      return rows;
    },
    async listPrefixesAt(origin) {
      const { rows } = await database.raw<{ rows: ResourcePrefix[] }>(
        `SELECT r.key, p.prefix FROM resources r, unnest(r.request_prefixes) AS p (prefix)
        WHERE p.prefix = :origin OR starts_with(p.prefix, :origin || '/') ORDER BY r.key, p.prefix`,
        { origin },
      );
      return rows;
    },
    async remove(id) {
      await database("resources").where({ id }).delete();
    },
  };
}
