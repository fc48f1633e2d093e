import type { Skill as PublishedSkill } from "@authz/skills";
import { type Page, type PageColumns, type PageRequest, selectPage, whereContains } from "./page.js";
import type { Database } from "./postgres/database.js";
import {
  type Columns,
  defineTable,
  LinkedScopes,
  saveVersioned,
  selectVersion,
  type Versioned,
} from "./postgres/table.js";

/** A skill with its text. Files have a store of their own. */
type Skill = Omit<PublishedSkill, "files">;

/** A skill without its text. Lists leave the texts out: they are long. */
export type SkillSummary = Omit<Skill, "content">;

/** A skill of the installation as it is stored, in a list. */
export interface ListedSkill extends Versioned {
  readonly skill: SkillSummary;
  /** `false`: a draft, which only administrators see. */
  readonly published: boolean;
}

/** The same with its text. */
export interface StoredSkill extends ListedSkill {
  readonly skill: Skill;
}

/** What a row has besides the skill. */
type State = Versioned & Pick<ListedSkill, "published">;

type OwnSkillSort = "id" | "title" | "updatedAt";

/** A stored skill of the installation or of a resource, with `null` for absent members. */
export type SkillRow = Omit<Skill, "description" | "tags"> & {
  readonly description: string | null;
  readonly tags: readonly string[] | null;
};

export const skillColumns: Columns<Omit<SkillRow, "requiredScopes">> = {
  id: "id",
  title: "title",
  description: "description",
  tags: "tags",
  visibility: "visibility",
  content: "content",
};

const requiredScopes = new LinkedScopes("skill_scopes", "skill_id");

const table = defineTable<SkillRow>("skills", { ...skillColumns, requiredScopes });
const summaries = table.without("content");

const pageColumns: PageColumns<OwnSkillSort> = {
  id: { sql: "skills.id", type: "text" },
  sorts: {
    id: { sql: "skills.id", type: "text" },
    title: { sql: "lower(skills.title)", type: "text" },
    updatedAt: { sql: "skills.updated_at", type: "timestamptz" },
  },
};

const searchedText = "concat_ws(' ', id, title, description, array_to_string(tags, ' '))";

/** The skills of the installation itself, beside those that resources publish. */
export function createOwnSkillStore(database: Database) {
  const skills = () => database("skills");
  const selected = ({ select }: Pick<typeof summaries, "select">) =>
    skills().select<(SkillRow & State)[]>(
      database.raw(`${select()}, ${selectVersion("skills")}, skills.published`),
    );

  return {
    /** One that agents may read: no draft. */
    async find(id: string): Promise<Skill | undefined> {
      const [row] = await selected(table).where({ id, published: true });
      return row && skillOf(table.fromRow(row));
    },
    async findStored(id: string): Promise<StoredSkill | undefined> {
      const [row] = await selected(table).where({ id });
      return row && { skill: skillOf(table.fromRow(row)), ...stateOf(row) };
    },
    /** `q` is looked for in the id, the title, the description and the tags. */
    async listPage({
      within,
      ...request
    }: PageRequest<OwnSkillSort> & {
      /** Only those that require some of these scopes and no other; all when absent. */
      readonly within?: readonly string[] | undefined;
    }): Promise<Page<ListedSkill>> {
      const query = selected(summaries);
      if (within !== undefined) {
        const scopesOf = "SELECT FROM skill_scopes l WHERE l.skill_id = skills.id";
        void query
          .whereRaw(`EXISTS (${scopesOf})`)
          .whereRaw(`NOT EXISTS (${scopesOf} AND l.scope_key <> ALL (?))`, [[...within]]);
      }
      whereContains(query, searchedText, request.q);
      const { items, ...rest } = await selectPage<State, OwnSkillSort>(query, {
        columns: pageColumns,
        request,
      });
      const skillsOfPage = items.map((row) => ({
        skill: skillOf(summaries.fromRow(row)),
        ...stateOf(row),
      }));
      return { items: skillsOfPage, ...rest };
    },
    /** Every skill that agents may read, by id. */
    async list(): Promise<readonly SkillSummary[]> {
      const rows = await selected(summaries).where({ published: true }).orderBy("id");
      return rows.map((row) => skillOf(summaries.fromRow(row)));
    },
    async count(): Promise<number> {
      const row = await skills().count<{ count: string }[]>({ count: "*" }).first();
      return Number(row?.count ?? 0);
    },
    /** Inserts or replaces the row with this id. */
    async save(skill: Skill, at: Date, published = true): Promise<void> {
      const row = { ...table.toRow({ description: null, tags: null, ...skill }), published };
      await saveVersioned(database, "skills", { row, at });
      await requiredScopes.save(database, skill.id, skill.requiredScopes);
    },
    /** Returns whether the skill was there. */
    remove: async (id: string): Promise<boolean> => (await skills().where({ id }).delete()) > 0,
  };
}

function stateOf({ published, version, createdAt, updatedAt }: State): State {
  return { published, version, createdAt, updatedAt };
}

/** A skill has no member where its row has `null`. */
export function skillOf<Row extends Pick<SkillRow, "description" | "tags">>({
  description,
  tags,
  ...skill
}: Row): Omit<Row, "description" | "tags"> & Pick<Skill, "description" | "tags"> {
  return { ...skill, ...(description !== null && { description }), ...(tags !== null && { tags }) };
}
