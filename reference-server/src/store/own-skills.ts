import type { Skill } from "@authz/skills";
import { containsPattern, type Page, type PageColumns, type PageRequest, selectPage } from "./page.js";
import type { Database } from "./postgres/database.js";

/** A skill without its text. Lists have nothing else: texts are long, and nobody reads them there. */
export type SkillSummary = Omit<Skill, "content">;

/** A skill of the installation as it is stored, in a list. */
export interface ListedSkill {
  readonly skill: SkillSummary;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The same with its text. */
export interface StoredSkill extends ListedSkill {
  readonly skill: Skill;
}

export type OwnSkillSort = "id" | "title" | "updatedAt";

/** A row of a skill, whoever publishes it. */
export interface SkillRow {
  id: string;
  title: string;
  description: string | null;
  tags: string[] | null;
  required_scopes: string[];
  visibility: Skill["visibility"];
  content: string;
}

type StoredRow = SkillRow & { version: number; created_at: Date; updated_at: Date };

/** Everything but the text. */
export const summaryColumns = [
  "id",
  "title",
  "description",
  "tags",
  "required_scopes",
  "visibility",
] as const satisfies readonly (keyof SkillRow)[];

const pageColumns: PageColumns<OwnSkillSort> = {
  id: { sql: "skills.id", type: "text" },
  sorts: {
    id: { sql: "skills.id", type: "text" },
    title: { sql: "lower(skills.title)", type: "text" },
    updatedAt: { sql: "skills.updated_at", type: "timestamptz" },
  },
};

const searchedText = "lower(concat_ws(' ', id, title, description, array_to_string(tags, ' ')))";

/** The skills of the installation itself, beside those that resources publish. */
export function createOwnSkillStore(database: Database) {
  const skills = () => database<SkillRow>("skills");

  return {
    async find(id: string): Promise<Skill | undefined> {
      const row = await skills().first().where({ id });
      return row && skillOf(row);
    },
    async findStored(id: string): Promise<StoredSkill | undefined> {
      const row = await database<StoredRow>("skills").first().where({ id });
      return row && { skill: skillOf(row), ...factsOf(row) };
    },
    /** `q` is looked for in the id, the title, the description and the tags. */
    async listPage(request: PageRequest<OwnSkillSort>): Promise<Page<ListedSkill>> {
      const query = database("skills").select(...summaryColumns, "version", "created_at", "updated_at");
      if (request.q !== undefined) {
        void query.whereRaw(`${searchedText} LIKE ?`, [containsPattern(request.q)]);
      }
      const { items, next } = await selectPage<StoredRow, OwnSkillSort>(query, {
        columns: pageColumns,
        request,
      });
      return { items: items.map((row) => ({ skill: summaryOf(row), ...factsOf(row) })), next };
    },
    /** Every skill, by id. */
    async list(): Promise<readonly SkillSummary[]> {
      return (
        await skills()
          .select(...summaryColumns)
          .orderBy("id")
      ).map(summaryOf);
    },
    async count(): Promise<number> {
      const row = await database("skills").count<{ count: string }[]>({ count: "*" }).first();
      return Number(row?.count ?? 0);
    },
    /** Inserts or replaces the row with this id. */
    async save(
      { id, title, description, tags, requiredScopes, visibility, content }: Skill,
      at: Date,
    ): Promise<void> {
      const row = {
        title,
        description: description ?? null,
        tags: tags === undefined ? null : [...tags],
        required_scopes: [...requiredScopes],
        visibility,
        content,
      };
      await database("skills")
        .insert({ id, ...row, created_at: at, updated_at: at })
        .onConflict("id")
        .merge({ ...row, updated_at: at, version: database.raw("skills.version + 1") });
    },
    /** Returns whether the skill was there. */
    remove: async (id: string): Promise<boolean> => (await skills().where({ id }).delete()) > 0,
  };
}

function factsOf(row: StoredRow): Omit<ListedSkill, "skill"> {
  return { version: row.version, createdAt: row.created_at, updatedAt: row.updated_at };
}

export function skillOf(row: SkillRow): Skill {
  return { ...summaryOf(row), content: row.content };
}

export function summaryOf(row: Omit<SkillRow, "content">): SkillSummary {
  const { id, title, description, tags, required_scopes: requiredScopes, visibility } = row;
  return {
    id,
    title,
    requiredScopes,
    visibility,
    ...(description !== null && { description }),
    ...(tags !== null && { tags }),
  };
}
