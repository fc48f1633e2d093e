import { createHash } from "node:crypto";
import type { Skill } from "./skill.js";

/**
 * Writes a skill as a `SKILL.md` file: front matter with `name` and `description`, then the content.
 *
 * @see {@link https://agentskills.io/specification | Agent Skills specification}
 */
export function renderSkillMarkdown(skill: Skill): string {
  const frontMatter = [
    `name: ${skill.id}`,
    `description: ${quoteYaml(skill.description ?? skill.title)}`,
    "metadata:",
    `  title: ${quoteYaml(skill.title)}`,
    `  required-scopes: ${quoteYaml(skill.requiredScopes.join(" "))}`,
    ...(skill.tags === undefined ? [] : [`  tags: ${quoteYaml(skill.tags.join(", "))}`]),
  ];
  return `---\n${frontMatter.join("\n")}\n---\n\n${skill.content.trimEnd()}\n`;
}

/** The digest of served bytes as an Agent Skills index writes it: `sha256:` and lower-case hexadecimal. */
export function skillDigest(bytes: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** A double-quoted YAML scalar. JSON text is one, except for a few characters that YAML does not print. */
function quoteYaml(text: string): string {
  return JSON.stringify(text).replace(/[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
