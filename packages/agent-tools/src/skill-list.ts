import type { SkillFileEntry } from "@authz/skills";

export type { SkillFileEntry };

/** What the tools read about a skill. */
export interface SkillSummary {
  id: string;
  title: string;
  description: string | undefined;
  tags: readonly string[];
  /** The permissions that the service requires for what the skill describes. */
  requiredScopes: readonly string[];
  /** Whether the person has all scopes it needs. */
  allowed: boolean;
  /** Key of the service that published it. */
  resource: string;
}

/** A skill with its instruction text (Markdown), and what else belongs to it. */
export interface Skill extends SkillSummary {
  content: string;
  files?: readonly SkillFileEntry[] | undefined;
}

/** A publisher whose skills may be missing or outdated. */
export interface SkillGap {
  /** Its key. */
  resource: string;
  name: string;
  /** `pending`, `failed`, `refused` (missing), `stale` (those of `fetchedAt`), `undecided` (some may be hidden). */
  state: string;
  /** ISO 8601. */
  fetchedAt: string | undefined;
}

/** The skills that the person can see, and whether the list is complete. */
export interface SkillList {
  items: readonly SkillSummary[];
  /** Publishers whose skills may be missing or outdated: a skill that is not listed may be one of theirs. */
  incomplete: readonly SkillGap[];
  /** The organization, and the instructions that its administrators want every agent to know. */
  installation: { name: string; instructions: string | undefined } | undefined;
}
