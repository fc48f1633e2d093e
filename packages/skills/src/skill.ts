/** Published instructions with the command that an agent needs to call a service. */
export interface Skill {
  /** `[a-z0-9][a-z0-9-]*`, at most 100 characters, unique in its catalog. */
  readonly id: string;
  readonly title: string;
  /** What the caller needs to see a hidden skill, and to use the service as described. */
  readonly requiredScopes: readonly string[];
  /** `DEFAULT`: everybody sees it. `HIDDEN_IF_UNALLOWED`: only holders of all required scopes see it. */
  readonly visibility: "DEFAULT" | "HIDDEN_IF_UNALLOWED";
  /** Markdown. */
  readonly content: string;
  /** What the skill is for and when to use it, in one or two sentences. */
  readonly description?: string;
  readonly tags?: readonly string[];
}

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
