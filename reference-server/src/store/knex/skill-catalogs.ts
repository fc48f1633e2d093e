import type { DueCatalog, SkillCatalog, SkillCatalogStore } from "../skill-catalogs.js";
import {
  findCatalogSkill,
  listCatalogSkills,
  loadCatalogSkills,
  saveCatalogSkills,
} from "./catalog-skills.js";
import { countCatalogStates, listCatalogPage } from "./skill-catalog-list.js";
import type { Database } from "./database.js";

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

export function createSkillCatalogStore(database: Database): SkillCatalogStore {
  const catalogs = () => database<CatalogRow>("skill_catalogs");
  return {
    async find(resourceId) {
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
    listSkills: (resourceIds) => listCatalogSkills(database, resourceIds),
    findSkill: (skill) => findCatalogSkill(database, skill),
    listPage: (request) => listCatalogPage(database, request),
    countStates: (freshness) => countCatalogStates(database, freshness),
    async take({ resourceId, now, leaseUntil }) {
      await database.raw(createOneSql, { resourceId, now });
      const result: { rows: DueCatalog[] } = await database.raw(takeOneSql, { resourceId, now, leaseUntil });
      return result.rows[0];
    },
    async takeDue({ dueBefore, leaseUntil, limit }) {
      await database.raw(createMissingSql, { dueBefore });
      const result: { rows: DueCatalog[] } = await database.raw(takeDueSql, { dueBefore, leaseUntil, limit });
      return result.rows;
    },
    async saveSuccess({ resourceId, items, at, refreshAt }) {
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
    async saveFailure({ resourceId, failure, at, refreshAt }) {
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
