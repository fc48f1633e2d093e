import type { Skill } from "@authz/skills";

/** Where the published skills come from. */
export type SkillsOptions = FixedSkills | LoadedSkills;

/** Skills that are known at start. */
export interface FixedSkills {
  readonly items: readonly Skill[];
  /**
   * Also publishes the skills that are visible to everybody as an Agent Skills index, without a log-in, at
   * `/.well-known/agent-skills/index.json`. Default: false.
   */
  readonly agentSkillsIndex?: boolean;
}

/** Skills that are read again for every request of the authorization server. */
export interface LoadedSkills {
  readonly load: () => readonly Skill[] | Promise<readonly Skill[]>;
}
