import type { Skill } from "./skill.js";

/**
 * Whether somebody with these scopes gets to see the skill.
 *
 * It decides what is listed, never what is permitted: the route that a skill describes makes its own check.
 */
export function isVisible(
  skill: Pick<Skill, "requiredScopes" | "visibility">,
  scopes: ReadonlySet<string>,
): boolean {
  return skill.visibility === "DEFAULT" || skill.requiredScopes.every((scope) => scopes.has(scope));
}
