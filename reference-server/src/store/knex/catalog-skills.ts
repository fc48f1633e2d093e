import type { Skill } from "@authz/skills";
import type { CatalogSkillSummary } from "../skill-catalogs.js";
import type { Database } from "./database.js";
import { type SkillRow, skillOf, summaryColumns, summaryOf } from "./own-skills.js";

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
