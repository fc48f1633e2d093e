import type { ListedScope, ScopeListStore, ScopeUses } from "../scope-list.js";
import type { Database } from "./database.js";
import { type PageColumns, selectPage } from "./page.js";
import { whereWords } from "./word-search.js";

const columns: PageColumns<"key" | "createdAt"> = {
  id: { sql: "s.key", type: "text" },
  sorts: {
    key: { sql: "s.key", type: "text" },
    createdAt: { sql: "s.created_at", type: "timestamptz" },
  },
};

const resourcesSql = `ARRAY(
  SELECT r.key FROM resource_scopes rs JOIN resources r ON r.id = rs.resource_id
  WHERE rs.scope_key = s.key ORDER BY r.key)`;
const assignmentsSql = "(SELECT count(*)::integer FROM assignments a WHERE a.scope_key = s.key)";

const listedSql = `s.key, s.description, s.system, s.version, s.created_at AS "createdAt", s.updated_at AS "updatedAt",
  ${resourcesSql} AS resources, ${assignmentsSql} AS assignments`;

const usesSql = `
  SELECT ${resourcesSql} AS resources, ${assignmentsSql} AS assignments,
    ARRAY(SELECT m.client_id FROM machine_scopes m WHERE m.scope_key = s.key ORDER BY m.client_id) AS "machineClients",
    ARRAY(SELECT c.key FROM connectors c WHERE s.key = ANY (c.required_scopes) ORDER BY c.key) AS connectors,
    ARRAY(SELECT k.id FROM skills k WHERE k.required_scopes @> ARRAY[s.key] ORDER BY k.id) AS skills
  FROM scopes s WHERE s.key = :key`;

export function createScopeListStore(database: Database): ScopeListStore {
  const listed = () => database("scopes AS s").select(database.raw(listedSql));

  return {
    async list({ system, ...request }) {
      const query = listed();
      if (system !== undefined) void query.where("s.system", system);
      whereWords(query, "s.words", request.q);
      return await selectPage(query, { columns, request });
    },
    async describe(key) {
      const [row] = (await listed().where("s.key", key)) as ListedScope[];
      return row;
    },
    async findUses(key) {
      const { rows } = await database.raw<{ rows: ScopeUses[] }>(usesSql, { key });
      return rows[0] ?? { assignments: 0, resources: [], machineClients: [], connectors: [], skills: [] };
    },
    async remove(key) {
      await database("scopes").where({ key }).delete();
    },
  };
}
