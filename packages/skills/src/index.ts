/**
 * Skills: Markdown instructions that a service publishes for agents.
 *
 * @module
 */
export { renderSkillFile, renderSkillMarkdown, type SkillDocument, skillDigest } from "./markdown.js";
export { catalogSkill, parseCatalog, parseSkills } from "./parse-skills.js";
export { type CatalogSkill, isVisible, type Skill, type SkillFile, type SkillFileEntry } from "./skill.js";
export { SkillError, type SkillFault } from "./skill-error.js";
export { fileBytes, isSkillDigest, isSkillPath, maximumFileBytes, readFileText } from "./skill-files.js";
