import type { Skill } from "@authz/skills";
import { skillOf, type SkillRow, type SkillSummary, summaryColumns, summaryOf } from "./own-skills.js";
import { containsPattern, type Page, type PageColumns, type PageRequest, selectPage } from "./page.js";
import type { Database } from "./postgres/database.js";

/** The last good copy of what a resource publishes, and how the last attempt to fetch it ended. */
export interface SkillCatalog {
  readonly resourceId: string;
  /** `null` until a fetch succeeded. */
  readonly items: readonly Skill[] | null;
  readonly fetchedAt: Date | null;
  readonly attemptedAt: Date | null;
  /** When the next fetch is due. */
  readonly refreshAt: Date;
  /** Why the last attempt failed; `null` after a success. */
  readonly failure: string | null;
}

/** A skill in a list, and who publishes it. */
export interface CatalogSkillSummary {
  readonly resourceId: string;
  readonly skill: SkillSummary;
}

/** A resource whose catalog a process has taken on to fetch. */
export interface DueCatalog {
  readonly resourceId: string;
  readonly resourceKey: string;
  readonly authorizationServer: string;
  /** Why the attempt before this one failed; `null` after a success. */
  readonly failure: string | null;
}

/** The catalog of a resource that publishes one, for a list: without what is in it. */
export interface ListedCatalog extends Omit<SkillCatalog, "items" | "refreshAt"> {
  readonly resourceKey: string;
  readonly resourceName: string;
  readonly authorizationServer: string;
  /** In the last good copy; `null` until there is one. */
  readonly skills: number | null;
  /** `null` until the first attempt was planned. */
  readonly refreshAt: Date | null;
}

export type CatalogSort = "key" | "attemptedAt";

/** `pending`: never tried. `stale`: the last good copy of a service that is away now. `failed`: no copy at all. */
export type CatalogState = "pending" | "fresh" | "stale" | "failed";

/** A copy that is older counts as stale, whatever the last attempt said. */
interface Freshness {
  readonly freshAfter: Date;
}

type CatalogListRequest = PageRequest<CatalogSort> &
  Freshness & { readonly states: readonly CatalogState[] | undefined };

interface CatalogRow {
  resource_id: string;
  items: null;
  skills: number | null;
  fetched_at: Date | null;
  attempted_at: Date | null;
  refresh_at: Date;
  failure: string | null;
}

/** A resource without a row was never fetched, so it is due. */
const createMissingSql = `
  INSERT INTO skill_catalogs (resource_id, refresh_at)
  SELECT id, :dueBefore::timestamptz FROM resources
  WHERE enabled AND skill_discovery AND NOT EXISTS (SELECT FROM skill_catalogs WHERE resource_id = resources.id)
  ON CONFLICT DO NOTHING`;

const takeDueSql = `
  WITH due AS (
    SELECT resource_id, r.key, r.authorization_server
    FROM skill_catalogs JOIN resources r ON r.id = resource_id
    WHERE refresh_at <= :dueBefore AND r.enabled AND r.skill_discovery
    ORDER BY refresh_at LIMIT :limit
    FOR UPDATE OF skill_catalogs SKIP LOCKED
  )
  UPDATE skill_catalogs SET refresh_at = :leaseUntil, leased_until = :leaseUntil FROM due
  WHERE skill_catalogs.resource_id = due.resource_id
  RETURNING due.resource_id AS "resourceId", due.key AS "resourceKey",
    due.authorization_server AS "authorizationServer", failure`;

const createOneSql = `
  INSERT INTO skill_catalogs (resource_id, refresh_at)
  SELECT id, :now::timestamptz FROM resources WHERE id = :resourceId AND enabled AND skill_discovery
  ON CONFLICT DO NOTHING`;

const takeOneSql = `
  UPDATE skill_catalogs SET refresh_at = :leaseUntil, leased_until = :leaseUntil FROM resources r
  WHERE resource_id = :resourceId AND (leased_until IS NULL OR leased_until <= :now)
    AND r.id = resource_id AND r.enabled AND r.skill_discovery
  RETURNING resource_id AS "resourceId", r.key AS "resourceKey", r.authorization_server AS "authorizationServer", failure`;

type CatalogSkillRow = SkillRow & { resource_id: string };

/** Rows that did not change are left alone: most catalogs are the same each time. */
const saveSql = `
  INSERT INTO catalog_skills AS s
    (resource_id, id, position, title, description, tags, required_scopes, visibility, content)
  SELECT :resourceId, id, position, title, description, tags, "requiredScopes", visibility, content
  FROM ROWS FROM (jsonb_to_recordset(:items::jsonb) AS (id text, title text, description text, tags text[],
    "requiredScopes" text[], visibility text, content text)) WITH ORDINALITY
    AS new (id, title, description, tags, "requiredScopes", visibility, content, position)
  ON CONFLICT (resource_id, id) DO UPDATE SET (position, title, description, tags, required_scopes, visibility, content)
    = (excluded.position, excluded.title, excluded.description, excluded.tags, excluded.required_scopes,
      excluded.visibility, excluded.content)
  WHERE (s.position, s.title, s.description, s.tags, s.required_scopes, s.visibility, s.content)
    IS DISTINCT FROM (excluded.position, excluded.title, excluded.description, excluded.tags,
      excluded.required_scopes, excluded.visibility, excluded.content)`;

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

export function createSkillCatalogStore(database: Database) {
  const catalogs = () => database<CatalogRow>("skill_catalogs");

  return {
    /** One catalog with the texts of its skills. */
    async find(resourceId: string): Promise<SkillCatalog | undefined> {
      const columns = [
        "resource_id",
        "skills",
        "fetched_at",
        "attempted_at",
        "refresh_at",
        "failure",
      ] as const;
      const row = await catalogs()
        .first(...columns)
        .where({ resource_id: resourceId });
      if (row === undefined) return undefined;
      return fromRow(row, row.skills === null ? null : await loadCatalogSkills(database, resourceId));
    },
    /** The skills of these resources, each catalog in its own order. */
    listSkills: (resourceIds: readonly string[]): Promise<readonly CatalogSkillSummary[]> =>
      listCatalogSkills(database, resourceIds),
    findSkill: (skill: { resourceId: string; id: string }): Promise<Skill | undefined> =>
      findCatalogSkill(database, skill),
    /** The catalogs of enabled resources that publish one. */
    listPage: (request: CatalogListRequest): Promise<Page<ListedCatalog>> =>
      listCatalogPage(database, request),
    countStates: (freshness: Freshness): Promise<Readonly<Record<CatalogState, number>>> =>
      countCatalogStates(database, freshness),
    /** Takes on one catalog, due or not; `undefined` while a process is fetching it, or when there is none to fetch. */
    async take({
      resourceId,
      now,
      leaseUntil,
    }: {
      resourceId: string;
      now: Date;
      leaseUntil: Date;
    }): Promise<DueCatalog | undefined> {
      await database.raw(createOneSql, { resourceId, now });
      const result: { rows: DueCatalog[] } = await database.raw(takeOneSql, { resourceId, now, leaseUntil });
      return result.rows[0];
    },
    /**
     * Takes on catalogs that are due by `dueBefore` and moves their `refreshAt` to `leaseUntil` in one statement, so that
     * among all processes one fetches each.
     */
    async takeDue({
      dueBefore,
      leaseUntil,
      limit,
    }: {
      dueBefore: Date;
      leaseUntil: Date;
      limit: number;
    }): Promise<readonly DueCatalog[]> {
      await database.raw(createMissingSql, { dueBefore });
      const result: { rows: DueCatalog[] } = await database.raw(takeDueSql, { dueBefore, leaseUntil, limit });
      return result.rows;
    },
    async saveSuccess({
      resourceId,
      items,
      at,
      refreshAt,
    }: {
      resourceId: string;
      items: readonly Skill[];
      at: Date;
      refreshAt: Date;
    }): Promise<void> {
      await database.transaction(async (transaction) => {
        await save(transaction, resourceId, {
          items: null,
          skills: items.length,
          fetched_at: at,
          attempted_at: at,
          refresh_at: refreshAt,
          failure: null,
        });
        await saveCatalogSkills(transaction, { resourceId, items });
      });
    },
    /** Keeps the last good copy. */
    async saveFailure({
      resourceId,
      failure,
      at,
      refreshAt,
    }: {
      resourceId: string;
      failure: string;
      at: Date;
      refreshAt: Date;
    }): Promise<void> {
      await save(database, resourceId, { attempted_at: at, refresh_at: refreshAt, failure });
    },
  };
}

async function save(
  database: Database,
  resourceId: string,
  row: Readonly<Record<string, unknown>>,
): Promise<void> {
  await database("skill_catalogs")
    .insert({ resource_id: resourceId, ...row })
    .onConflict("resource_id")
    .merge({ ...row, leased_until: null });
}

function fromRow(row: Omit<CatalogRow, "items">, items: SkillCatalog["items"]): SkillCatalog {
  return {
    resourceId: row.resource_id,
    items,
    fetchedAt: row.fetched_at,
    attemptedAt: row.attempted_at,
    refreshAt: row.refresh_at,
    failure: row.failure,
  };
}

/** Makes these the skills of a catalog. Call it inside a transaction that has locked the catalog. */
export async function saveCatalogSkills(
  database: Database,
  { resourceId, items }: { readonly resourceId: string; readonly items: readonly Skill[] },
): Promise<void> {
  await database("catalog_skills")
    .where({ resource_id: resourceId })
    .whereNotIn(
      "id",
      items.map(({ id }) => id),
    )
    .delete();
  await database.raw(saveSql, { resourceId, items: JSON.stringify(items) });
}

/** One catalog with its texts, in its own order. */
export async function loadCatalogSkills(database: Database, resourceId: string): Promise<readonly Skill[]> {
  const rows = await database<CatalogSkillRow>("catalog_skills")
    .where({ resource_id: resourceId })
    .orderBy("position");
  return rows.map(skillOf);
}

/** Skills of several catalogs without their texts, each catalog in its own order. */
export async function listCatalogSkills(
  database: Database,
  resourceIds: readonly string[],
): Promise<readonly CatalogSkillSummary[]> {
  const rows: CatalogSkillRow[] = await database("catalog_skills")
    .select("resource_id", ...summaryColumns)
    .whereIn("resource_id", [...resourceIds])
    .orderBy(["resource_id", "position"]);
  return rows.map((row) => ({ resourceId: row.resource_id, skill: summaryOf(row) }));
}

export async function findCatalogSkill(
  database: Database,
  { resourceId, id }: { readonly resourceId: string; readonly id: string },
): Promise<Skill | undefined> {
  const row = await database<CatalogSkillRow>("catalog_skills")
    .first()
    .where({ resource_id: resourceId, id });
  return row && skillOf(row);
}

export async function listCatalogPage(
  database: Database,
  request: CatalogListRequest,
): Promise<Page<ListedCatalog>> {
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
