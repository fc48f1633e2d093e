import type { Skill } from "@authz/skills";
import type { Page, PageRequest } from "./page.js";

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

/** The skills of the installation itself, beside those that resources publish. */
export interface OwnSkillStore {
  find(id: string): Promise<Skill | undefined>;
  findStored(id: string): Promise<StoredSkill | undefined>;
  /** Every skill, by id. */
  list(): Promise<readonly SkillSummary[]>;
  /** `q` is looked for in the id, the title, the description and the tags. */
  listPage(request: PageRequest<OwnSkillSort>): Promise<Page<ListedSkill>>;
  count(): Promise<number>;
  /** Inserts or replaces the row with this id. */
  save(skill: Skill, at: Date): Promise<void>;
  /** Returns whether the skill was there. */
  remove(id: string): Promise<boolean>;
}
