/** Published instructions, with the command that an agent needs to call a service. */
export interface Skill {
  /** `[a-z0-9][a-z0-9-]*`, at most 100 characters, unique in its catalog. */
  readonly id: string;
  readonly title: string;
  /** The scopes that a caller needs to see a hidden skill, and to use the service as described. */
  readonly requiredScopes: readonly string[];
  /** `DEFAULT`: everyone sees it. `HIDDEN_IF_UNALLOWED`: only people with all required scopes see it. */
  readonly visibility: "DEFAULT" | "HIDDEN_IF_UNALLOWED";
  /** Markdown. */
  readonly content: string;
  /** What the skill is for and when to use it, in one or two sentences. */
  readonly description?: string;
  readonly tags?: readonly string[];
  /** Files besides `SKILL.md`, which is generated from the content. At most 50. */
  readonly files?: readonly SkillFile[];
}

/** A file of a skill. */
export interface SkillFile {
  /**
   * Where it is in the skill's folder, such as `references/errors.md`: names of `[A-Za-z0-9._-]` that do not begin with `.` or `-`, separated
   * by `/`, at most 100 characters each and 150 in total.
   */
  readonly path: string;
  /** Text without invisible characters, or bytes that are not UTF-8; at most 1 MiB. */
  readonly content: string | Uint8Array;
}

/** A file as a catalog lists it. */
export interface SkillFileEntry {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** SHA-256 of the bytes: `sha256:` and lower-case hexadecimal. */
  readonly digest: string;
}

/** A skill as catalogs list it: with the facts about each file instead of its content. */
export type CatalogSkill = Omit<Skill, "files"> & { readonly files?: readonly SkillFileEntry[] };

/**
 * Whether a caller with these scopes can see the skill.
 *
 * It decides what is listed, never what is permitted: the route that a skill describes makes its own check.
 */
export function isVisible(
  skill: Pick<Skill, "requiredScopes" | "visibility">,
  scopes: ReadonlySet<string>,
): boolean {
  return skill.visibility === "DEFAULT" || skill.requiredScopes.every((scope) => scopes.has(scope));
}
