import type { StoredObject } from "../objects/object.js";
import { scopeRules } from "../objects/scope.js";
import { liveSql } from "./live-assignment.js";
import { createObjectStore } from "./object-store.js";
import type { Page, PageRequest } from "./page.js";
import { type Database, queryRows } from "./postgres/database.js";
import { columnsOf, defineTable, type Versioned } from "./postgres/table.js";

/** A permission, as it is stored. */
export type Scope = StoredObject<typeof scopeRules> & {
  /** System scopes are created at start and cannot be changed. */
  readonly system: boolean;
};

/** A scope as administrators see it. */
export interface ListedScope extends Scope, Versioned {
  /** The keys of the resources that support it. */
  readonly resources: readonly string[];
  /** Number of live assignments. */
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

type ScopeListRequest = PageRequest<"key" | "createdAt"> & {
  readonly system: boolean | undefined;
  /** Only these; all when absent. */
  readonly keys?: readonly string[] | undefined;
};

const table = defineTable<Scope>("scopes", columnsOf("system", ...scopeRules.keyof().options));

const sorts = {
  key: { sql: "o.key", type: "text" },
  createdAt: { sql: "o.created_at", type: "timestamptz" },
} as const;

const resourcesSql = `ARRAY(
  SELECT r.key FROM resource_scopes rs JOIN resources r ON r.id = rs.resource_id
  WHERE rs.scope_key = o.key ORDER BY r.key)`;

const assignmentsSql = `(SELECT count(*)::integer FROM assignments a WHERE a.scope_key = o.key AND ${liveSql("a")})`;

const usesSql = `
  SELECT ${resourcesSql} AS resources, ${assignmentsSql} AS assignments,
    ARRAY(SELECT m.client_id FROM machine_scopes m WHERE m.scope_key = o.key ORDER BY m.client_id) AS "machineClients",
    ARRAY(SELECT c.key FROM connector_scopes cs JOIN connectors c ON c.id = cs.connector_id
      WHERE cs.scope_key = o.key ORDER BY c.key) AS connectors,
    ARRAY(SELECT k.skill_id FROM skill_scopes k WHERE k.scope_key = o.key ORDER BY k.skill_id) AS skills
  FROM scopes o WHERE o.key = :key`;

/** `:keys`. The enabled services and connectors that ask for a scope. */
const placesSql = `
  SELECT scope, array_agg(name ORDER BY lower(name)) AS names FROM (
    SELECT rs.scope_key AS scope, r.name FROM resource_scopes rs JOIN resources r ON r.id = rs.resource_id WHERE r.enabled
    UNION ALL
    SELECT cs.scope_key, c.name FROM connector_scopes cs JOIN connectors c ON c.id = cs.connector_id WHERE c.enabled
  ) AS p WHERE scope = ANY (:keys) GROUP BY scope`;

export function createScopeStore(database: Database) {
  const more = `${resourcesSql} AS resources, ${assignmentsSql} AS assignments`;
  const objects = createObjectStore<Scope, ListedScope, keyof typeof sorts>(database, {
    table,
    key: "key",
    more,
    sorts,
  });

  return {
    ...objects,
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
    list: async ({ system, keys, ...request }: ScopeListRequest): Promise<Page<ListedScope>> =>
      await objects.list(request, { system }, keys),
    async findUses(key: string): Promise<ScopeUses> {
      const rows = await queryRows<ScopeUses>(database, usesSql, { key });
      return rows[0] ?? { assignments: 0, resources: [], machineClients: [], connectors: [], skills: [] };
    },
  };
}
