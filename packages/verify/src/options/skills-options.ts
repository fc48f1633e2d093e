import type { Skill } from "@authz/skills";

/** Where the published skills come from. */
export type SkillsOptions = FixedSkills | LoadedSkills;

/** Skills that are known at start. */
export interface FixedSkills extends PublishedSkills {
  readonly items: readonly Skill[];
}

/** Skills that are read again for every request of the authorization server, and for the index every 30 seconds. */
export interface LoadedSkills extends PublishedSkills {
  readonly load: () => readonly Skill[] | Promise<readonly Skill[]>;
}

/** Who else gets to see the skills. */
export interface PublishedSkills {
  /**
   * Also publishes the skills that are visible to everybody as an Agent Skills index, without a log-in, at
   * `/.well-known/agent-skills/index.json`. Default: false.
   */
  readonly agentSkillsIndex?: boolean;
}
