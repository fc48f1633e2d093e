import type { CatalogSkill as Skill, SkillFileEntry } from "@authz/skills";
import { type SkillRow, type SkillSummary, skillColumns, skillOf } from "./own-skills.js";
import { type Page, type PageColumns, type PageRequest, selectPage, whereContains } from "./page.js";
import { type Database, queryRows } from "./postgres/database.js";
import { defineTable, json } from "./postgres/table.js";

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
interface CatalogSkillSummary {
  readonly resourceId: string;
  readonly skill: SkillSummary;
}

/** How the last attempt to fetch a catalog ended. */
export type CatalogAttempt = Pick<SkillCatalog, "resourceId" | "attemptedAt" | "fetchedAt" | "failure">;

/** A resource whose catalog a process has claimed to fetch. */
export interface DueCatalog {
  readonly resourceId: string;
  readonly resourceKey: string;
  readonly authorizationServer: string;
  /** Why the attempt before this one failed; `null` after a success. */
  readonly failure: string | null;
}

/** The catalog of a resource in a list, without its content. */
export interface ListedCatalog extends Omit<SkillCatalog, "items" | "refreshAt"> {
  readonly resourceKey: string;
  readonly resourceName: string;
  readonly authorizationServer: string;
  /** In the last good copy; `null` until there is one. */
  readonly skills: number | null;
  /** `null` until the first attempt was planned. */
  readonly refreshAt: Date | null;
}

type CatalogSort = "key" | "attemptedAt";

/** `pending`: never tried. `stale`: the last good copy of a service that is away now. `failed`: no copy at all. */
export type CatalogState = "pending" | "fresh" | "stale" | "failed";

/** An older copy counts as stale, whatever the outcome of the last attempt. */
interface Freshness {
  readonly freshAfter: Date;
}

type CatalogListRequest = PageRequest<CatalogSort> &
  Freshness & {
    readonly states: readonly CatalogState[] | undefined;
    /** Only those of these resources; of all when absent. */
    readonly resourceIds?: readonly string[] | undefined;
  };

/** How many skills there are instead of the skills. */
type StoredCatalog = Omit<SkillCatalog, "items"> & Pick<ListedCatalog, "skills">;

const catalogTable = defineTable<StoredCatalog>("skill_catalogs", {
  resourceId: "resource_id",
  fetchedAt: "fetched_at",
  attemptedAt: "attempted_at",
  refreshAt: "refresh_at",
  failure: "failure",
  skills: "skills",
});

const attempts = catalogTable.without("refreshAt", "skills");

type CatalogRow = SkillRow & { readonly files: readonly SkillFileEntry[] };

const skillTable = defineTable<CatalogRow>("catalog_skills", {
  ...skillColumns,
  requiredScopes: "required_scopes",
  files: json("files"),
});
const summaries = skillTable.without("content", "files");

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

/** Rows that did not change are left alone: most catalogs are the same each time. */
const saveSql = `
  INSERT INTO catalog_skills AS s
    (resource_id, id, position, title, description, tags, required_scopes, visibility, content, files)
  SELECT :resourceId, id, position, title, description, tags, "requiredScopes", visibility, content, coalesce(files, '[]')
  FROM ROWS FROM (jsonb_to_recordset(:items::jsonb) AS (id text, title text, description text, tags text[],
    "requiredScopes" text[], visibility text, content text, files jsonb)) WITH ORDINALITY
    AS new (id, title, description, tags, "requiredScopes", visibility, content, files, position)
  ON CONFLICT (resource_id, id)
    DO UPDATE SET (position, title, description, tags, required_scopes, visibility, content, files)
    = (excluded.position, excluded.title, excluded.description, excluded.tags, excluded.required_scopes,
      excluded.visibility, excluded.content, excluded.files)
  WHERE (s.position, s.title, s.description, s.tags, s.required_scopes, s.visibility, s.content, s.files)
    IS DISTINCT FROM (excluded.position, excluded.title, excluded.description, excluded.tags,
      excluded.required_scopes, excluded.visibility, excluded.content, excluded.files)`;

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
  return {
    /** One catalog with the texts of its skills. */
    async find(resourceId: string): Promise<SkillCatalog | undefined> {
      const [row] = await database("skill_catalogs")
        .select<StoredCatalog[]>(database.raw(catalogTable.select()))
        .where({ resource_id: resourceId });
      if (row === undefined) return undefined;
      const { skills, ...catalog } = row;
      return { ...catalog, items: skills === null ? null : await loadCatalogSkills(database, resourceId) };
    },
    /** The skills of these resources, each catalog in its own order. */
    listSkills: (resourceIds: readonly string[]): Promise<readonly CatalogSkillSummary[]> =>
      listCatalogSkills(database, resourceIds),
    /** How the last attempt at each of these catalogs ended; none for a catalog that no process has taken on yet. */
    listAttempts: (resourceIds: readonly string[]): Promise<readonly CatalogAttempt[]> =>
      listCatalogAttempts(database, resourceIds),
    findSkill: (skill: { resourceId: string; id: string }): Promise<Skill | undefined> =>
      findCatalogSkill(database, skill),
    /** What the copy has of files: their sizes, by digest. */
    listFiles: (resourceId: string): Promise<ReadonlyMap<string, number>> =>
      listCatalogFiles(database, resourceId),
    async findFile({
      resourceId,
      digest,
    }: {
      resourceId: string;
      digest: string;
    }): Promise<Uint8Array | undefined> {
      const [row] = await database("catalog_files")
        .select<{ content: Buffer }[]>("content")
        .where({ resource_id: resourceId, digest });
      return row?.content;
    },
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
      const [catalog] = await queryRows<DueCatalog>(database, takeOneSql, { resourceId, now, leaseUntil });
      return catalog;
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
      return await queryRows(database, takeDueSql, { dueBefore, leaseUntil, limit });
    },
    /**
     * Makes these the skills of a catalog. `files` are those that it did not have before, by digest.
     *
     * @throws {Error} A file that a skill names is neither among them nor there already.
     */
    async saveSuccess({
      resourceId,
      items,
      files = new Map(),
      at,
      refreshAt,
    }: Pick<SkillCatalog, "resourceId" | "refreshAt"> & {
      readonly items: readonly Skill[];
      readonly files?: ReadonlyMap<string, Uint8Array>;
      readonly at: Date;
    }): Promise<void> {
      const success = { fetchedAt: at, attemptedAt: at, refreshAt, failure: null, skills: items.length };
      await database.transaction(async (transaction) => {
        await save(transaction, { resourceId, ...success });
        await saveCatalogSkills(transaction, { resourceId, items });
        await saveCatalogFiles(transaction, { resourceId, items, files });
      });
    },
    /** Keeps the last good copy. */
    async saveFailure({
      at,
      ...failed
    }: Pick<SkillCatalog, "resourceId" | "refreshAt"> & {
      readonly failure: string;
      readonly at: Date;
    }): Promise<void> {
      await save(database, { ...failed, attemptedAt: at });
    },
  };
}

async function save(database: Database, attempt: Partial<StoredCatalog>): Promise<void> {
  const row = catalogTable.toRow(attempt);
  await database("skill_catalogs")
    .insert(row)
    .onConflict("resource_id")
    .merge({ ...row, leased_until: null });
}

/** Makes these the skills of a catalog. Call it inside a transaction that has locked the catalog. */
async function saveCatalogSkills(
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

/** Makes the files that these skills name the files of a catalog. */
async function saveCatalogFiles(
  database: Database,
  {
    resourceId,
    items,
    files,
  }: {
    readonly resourceId: string;
    readonly items: readonly Skill[];
    readonly files: ReadonlyMap<string, Uint8Array>;
  },
): Promise<void> {
  const named = new Set(items.flatMap((item) => (item.files ?? []).map(({ digest }) => digest)));
  await database("catalog_files")
    .where({ resource_id: resourceId })
    .whereNotIn("digest", [...named])
    .delete();
  for (const [digest, content] of files) {
    await database("catalog_files")
      .insert({ resource_id: resourceId, digest, content: Buffer.from(content) })
      .onConflict()
      .ignore();
  }
  const stored = await listCatalogFiles(database, resourceId);
  for (const digest of named)
    if (!stored.has(digest)) throw new Error(`The file ${digest} of a catalog is not there.`);
}

async function listCatalogFiles(
  database: Database,
  resourceId: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await database("catalog_files")
    .select<{ digest: string; size: number }[]>("digest", database.raw("octet_length(content) AS size"))
    .where({ resource_id: resourceId });
  return new Map(rows.map(({ digest, size }) => [digest, size]));
}

/** A skill with its text and without an empty list of files. */
function catalogSkillOf({ files, ...row }: CatalogRow): Skill {
  return { ...skillOf(row), ...(files.length > 0 && { files }) };
}

/** One catalog with its texts, in its own order. */
async function loadCatalogSkills(database: Database, resourceId: string): Promise<readonly Skill[]> {
  const rows = await database("catalog_skills")
    .select<CatalogRow[]>(database.raw(skillTable.select()))
    .where({ resource_id: resourceId })
    .orderBy("position");
  return rows.map(catalogSkillOf);
}

/** Skills of several catalogs without their texts, each catalog in its own order. */
async function listCatalogSkills(
  database: Database,
  resourceIds: readonly string[],
): Promise<readonly CatalogSkillSummary[]> {
  const rows = await database("catalog_skills")
    .select<{ resourceId: string }[]>(database.raw(`resource_id AS "resourceId", ${summaries.select()}`))
    .whereIn("resource_id", [...resourceIds])
    .orderBy(["resource_id", "position"]);
  return rows.map((row) => ({ resourceId: row.resourceId, skill: skillOf(summaries.fromRow(row)) }));
}

async function listCatalogAttempts(
  database: Database,
  resourceIds: readonly string[],
): Promise<readonly CatalogAttempt[]> {
  return await database("skill_catalogs")
    .select<CatalogAttempt[]>(database.raw(attempts.select()))
    .whereIn("resource_id", [...resourceIds]);
}

async function findCatalogSkill(
  database: Database,
  { resourceId, id }: { readonly resourceId: string; readonly id: string },
): Promise<Skill | undefined> {
  const [row] = await database("catalog_skills")
    .select<CatalogRow[]>(database.raw(skillTable.select()))
    .where({ resource_id: resourceId, id });
  return row && catalogSkillOf(row);
}

async function listCatalogPage(
  database: Database,
  request: CatalogListRequest,
): Promise<Page<ListedCatalog>> {
  const { q, states, freshAfter, resourceIds } = request;
  const query = published(database).select(
    database.raw(`r.id AS "resourceId", r.key AS "resourceKey", r.name AS "resourceName",
      r.authorization_server AS "authorizationServer", ${catalogTable.without("resourceId").select("c")}`),
  );
  whereContains(query, "r.key || ' ' || r.name", q);
  if (resourceIds !== undefined) void query.whereIn("r.id", [...resourceIds]);
  if (states !== undefined) void query.whereRaw(`${stateSql} = ANY (?)`, [freshAfter, [...states]]);
  return await selectPage<ListedCatalog, CatalogSort>(query, { columns: pageColumns, request });
}

async function countCatalogStates(
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
