import type { Skill } from "@authz/skills";
import type { Page, PageRequest } from "./page.js";

/** A skill of the installation as it is stored. */
export interface StoredSkill {
  readonly skill: Skill;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type OwnSkillSort = "id" | "title" | "updatedAt";

/** The skills of the installation itself, beside those that resources publish. */
export interface OwnSkillStore {
  find(id: string): Promise<Skill | undefined>;
  findStored(id: string): Promise<StoredSkill | undefined>;
  /** Every skill, by id. */
  list(): Promise<readonly Skill[]>;
  /** `q` is looked for in the id, the title, the description and the tags. */
  listPage(request: PageRequest<OwnSkillSort>): Promise<Page<StoredSkill>>;
  count(): Promise<number>;
  /** Inserts or replaces the row with this id. */
  save(skill: Skill, at: Date): Promise<void>;
  /** Returns whether the skill was there. */
  remove(id: string): Promise<boolean>;
}
