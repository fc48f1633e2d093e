/** What the tools read about a skill. */
export interface SkillSummary {
  id: string;
  title: string;
  description: string | undefined;
  tags: readonly string[];
  /** Whether the person has all scopes it needs. */
  allowed: boolean;
  /** Key of the service that published it. */
  resource: string;
}

/** A skill with its instruction text (Markdown). */
export interface Skill extends SkillSummary {
  content: string;
}

/** A publisher whose skills may be missing or old. */
export interface SkillGap {
  /** Its key. */
  resource: string;
  name: string;
  /** `pending`, `failed`, `refused` (missing), `stale` (those of `fetchedAt`), `undecided` (some may be hidden). */
  state: string;
  /** ISO 8601. */
  fetchedAt: string | undefined;
}

/** The skills that the person can see, and what is to be known about the list. */
export interface SkillList {
  items: readonly SkillSummary[];
  /** Those whose skills may be missing or old: a skill that is not listed may be one of theirs. */
  incomplete: readonly SkillGap[];
  /** The organization. Its administrators want every agent to know the instructions. */
  installation: { name: string; instructions: string | undefined } | undefined;
}
