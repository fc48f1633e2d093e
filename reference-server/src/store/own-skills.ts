import type { Skill } from "@authz/skills";

/** The skills of the installation itself, beside those that resources publish. */
export interface OwnSkillStore {
  find(id: string): Promise<Skill | undefined>;
  /** Every skill, by id. */
  list(): Promise<readonly Skill[]>;
  count(): Promise<number>;
  /** Inserts or replaces the row with this id. */
  save(skill: Skill, at: Date): Promise<void>;
  /** Returns whether the skill was there. */
  remove(id: string): Promise<boolean>;
}
