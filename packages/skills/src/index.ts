/**
 * Skills: Markdown instructions that a service publishes for agents.
 *
 * @module
 */
export { renderSkillFile, renderSkillMarkdown, type SkillFile, skillDigest } from "./markdown.js";
export { parseSkills, SkillError } from "./parse-skills.js";
export { isVisible, type Skill } from "./skill.js";
