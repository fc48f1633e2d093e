/** A published instruction text with the command that an agent needs to call a service. */
export interface Skill {
  /** `[a-z0-9][a-z0-9-]*`, at most 100 characters, unique in its catalog. */
  readonly id: string;
  readonly title: string;
  /** What the caller needs to see a hidden skill, and to use the service as described. */
  readonly requiredScopes: readonly string[];
  /** `DEFAULT`: everybody sees it. `HIDDEN_IF_UNALLOWED`: only who holds all required scopes sees it. */
  readonly visibility: "DEFAULT" | "HIDDEN_IF_UNALLOWED";
  /** Markdown. */
  readonly content: string;
  /** What the skill is for and when to use it, in one or two sentences. */
  readonly description?: string;
  readonly tags?: readonly string[];
}
