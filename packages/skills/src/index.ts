/**
 * Skills: Markdown instructions that a service publishes for agents.
 *
 * @module
 */
export { renderSkillMarkdown, skillDigest } from "./markdown.js";
export { parseSkills } from "./parse-skills.js";
export { isScope, scopePattern } from "./scope.js";
export type { Skill } from "./skill.js";
export { SkillError } from "./skill-error.js";
export { isVisible } from "./visibility.js";
