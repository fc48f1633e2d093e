import type { CatalogSort, CatalogState, ListedCatalog, SkillCatalogStore } from "../skill-catalogs.js";
import type { Database } from "./database.js";
import { containsPattern, type PageColumns, selectPage } from "./page.js";

const pageColumns: PageColumns<CatalogSort> = {
  id: { sql: "r.key", type: "text" },
  sorts: {
    key: { sql: "r.key", type: "text" },
    attemptedAt: { sql: "coalesce(c.attempted_at, '-infinity')", type: "timestamptz" },
  },
};

/** The same as `catalogState`; the parameter is the moment before which a copy is stale. */
const stateSql = `CASE
  WHEN c.attempted_at IS NULL THEN 'pending'
  WHEN c.fetched_at IS NULL THEN 'failed'
  WHEN c.failure IS NOT NULL OR c.fetched_at < ? THEN 'stale'
  ELSE 'fresh' END`;

export async function listCatalogPage(
  database: Database,
  request: Parameters<SkillCatalogStore["listPage"]>[0],
): ReturnType<SkillCatalogStore["listPage"]> {
  const { q, states, freshAfter } = request;
  const query = published(database).select({
    resourceId: "r.id",
    resourceKey: "r.key",
    resourceName: "r.name",
    authorizationServer: "r.authorization_server",
    fetchedAt: "c.fetched_at",
    attemptedAt: "c.attempted_at",
    refreshAt: "c.refresh_at",
    failure: "c.failure",
    skills: "c.skills",
  });
  if (q !== undefined) void query.whereRaw("lower(r.key || ' ' || r.name) LIKE ?", [containsPattern(q)]);
  if (states !== undefined) void query.whereRaw(`${stateSql} = ANY (?)`, [freshAfter, [...states]]);
  return await selectPage<ListedCatalog, CatalogSort>(query, { columns: pageColumns, request });
}

export async function countCatalogStates(
  database: Database,
  { freshAfter }: { readonly freshAfter: Date },
): Promise<Readonly<Record<CatalogState, number>>> {
  const rows: { state: CatalogState; count: number }[] = await published(database)
    .select(database.raw(`${stateSql} AS state, count(*)::integer AS count`, [freshAfter]))
    .groupByRaw("1");
  const counts = { pending: 0, fresh: 0, stale: 0, failed: 0 };
  for (const { state, count } of rows) counts[state] = count;
  return counts;
}

function published(database: Database) {
  return database("resources AS r")
    .leftJoin("skill_catalogs AS c", "c.resource_id", "r.id")
    .where({ "r.enabled": true, "r.skill_discovery": true });
}
