import type { StoredObject } from "../objects/object.js";
import { scopeRules } from "../objects/scope.js";
import { liveSql } from "./live-assignment.js";
import { type Page, type PageColumns, type PageRequest, selectPage, whereWords } from "./page.js";
import { type Database, queryRows } from "./postgres/database.js";
import {
  columnsOf,
  defineTable,
  insertMissing,
  saveVersioned,
  selectVersion,
  type Versioned,
} from "./postgres/table.js";

/** A permission, as it is stored. */
export type Scope = StoredObject<typeof scopeRules> & {
  /** System scopes are created at start and cannot be changed. */
  readonly system: boolean;
};

/** A scope as administrators see it. */
export interface ListedScope extends Scope, Versioned {
  /** The keys of the resources that support it. */
  readonly resources: readonly string[];
  /** How many assignments give it to somebody. */
  readonly assignments: number;
}

/** What keeps a scope from being removed. */
interface ScopeUses {
  readonly assignments: number;
  readonly resources: readonly string[];
  readonly machineClients: readonly string[];
  /** The keys of the connectors that require it. */
  readonly connectors: readonly string[];
  /** The installation's own. */
  readonly skills: readonly string[];
}

type ScopeListRequest = PageRequest<"key" | "createdAt"> & { readonly system: boolean | undefined };

const table = defineTable<Scope>("scopes", columnsOf("system", ...scopeRules.keyof().options));

const pageColumns: PageColumns<"key" | "createdAt"> = {
  id: { sql: "s.key", type: "text" },
  sorts: {
    key: { sql: "s.key", type: "text" },
    createdAt: { sql: "s.created_at", type: "timestamptz" },
  },
};

const resourcesSql = `ARRAY(
  SELECT r.key FROM resource_scopes rs JOIN resources r ON r.id = rs.resource_id
  WHERE rs.scope_key = s.key ORDER BY r.key)`;

const assignmentsSql = `(SELECT count(*)::integer FROM assignments a WHERE a.scope_key = s.key AND ${liveSql("a")})`;

const listedSql = `${table.select("s")}, ${selectVersion("s")}, ${resourcesSql} AS resources, ${assignmentsSql} AS assignments`;

const usesSql = `
  SELECT ${resourcesSql} AS resources, ${assignmentsSql} AS assignments,
    ARRAY(SELECT m.client_id FROM machine_scopes m WHERE m.scope_key = s.key ORDER BY m.client_id) AS "machineClients",
    ARRAY(SELECT c.key FROM connector_scopes cs JOIN connectors c ON c.id = cs.connector_id
      WHERE cs.scope_key = s.key ORDER BY c.key) AS connectors,
    ARRAY(SELECT k.skill_id FROM skill_scopes k WHERE k.scope_key = s.key ORDER BY k.skill_id) AS skills
  FROM scopes s WHERE s.key = :key`;

/** `:keys`. The enabled services and connectors that ask for a scope. */
const placesSql = `
  SELECT scope, array_agg(name ORDER BY lower(name)) AS names FROM (
    SELECT rs.scope_key AS scope, r.name FROM resource_scopes rs JOIN resources r ON r.id = rs.resource_id WHERE r.enabled
    UNION ALL
    SELECT cs.scope_key, c.name FROM connector_scopes cs JOIN connectors c ON c.id = cs.connector_id WHERE c.enabled
  ) AS p WHERE scope = ANY (:keys) GROUP BY scope`;

export function createScopeStore(database: Database) {
  const listed = () => database("scopes AS s").select<ListedScope[]>(database.raw(listedSql));

  return {
    /** The known ones among the given keys, by key. */
    async findAll(keys: readonly string[]): Promise<readonly Scope[]> {
      return await database("scopes")
        .select<Scope[]>(database.raw(table.select()))
        .whereIn("key", [...keys])
        .orderBy("key");
    },
    /** The names of the enabled services and connectors where each scope counts. */
    async findPlaces(keys: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
      if (keys.length === 0) return new Map();
      const rows = await queryRows<{ scope: string; names: string[] }>(database, placesSql, {
        keys: [...keys],
      });
      return new Map(rows.map(({ scope, names }) => [scope, names]));
    },
    /** Inserts or replaces the row with this key. */
    async save(scope: Scope, at: Date): Promise<void> {
      await saveVersioned(database, "scopes", { row: table.toRow(scope), at, key: "key" });
    },
    /** Returns whether the row was new; an existing row stays as it is. */
    async insertMissing(scope: Scope, at: Date): Promise<boolean> {
      const row = { ...table.toRow(scope), created_at: at, updated_at: at };
      return await insertMissing(database, "scopes", { row, key: "key" });
    },
    async list({ system, ...request }: ScopeListRequest): Promise<Page<ListedScope>> {
      const query = listed();
      if (system !== undefined) void query.where("s.system", system);
      whereWords(query, "s.words", request.q);
      return await selectPage(query, { columns: pageColumns, request });
    },
    async describe(key: string): Promise<ListedScope | undefined> {
      const [row] = await listed().where("s.key", key);
      return row;
    },
    async findUses(key: string): Promise<ScopeUses> {
      const rows = await queryRows<ScopeUses>(database, usesSql, { key });
      return rows[0] ?? { assignments: 0, resources: [], machineClients: [], connectors: [], skills: [] };
    },
    /** Call it for a scope that is not used. */
    async remove(key: string): Promise<void> {
      await database("scopes").where({ key }).delete();
    },
  };
}
