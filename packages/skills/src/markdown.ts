import { createHash } from "node:crypto";
import type { Skill } from "./skill.js";

/** A `SKILL.md` file before it is written. */
export interface SkillDocument {
  /** At most 64 lower-case letters, digits and single hyphens. */
  readonly name: string;
  readonly description: string;
  /** Written in this order. Without members, the file has no such field. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Markdown. */
  readonly content: string;
}

/**
 * Writes a skill as the `SKILL.md` file that a service publishes.
 *
 * @see {@link https://agentskills.io/specification | Agent Skills specification}
 */
export function renderSkillMarkdown(skill: Omit<Skill, "files">): string {
  return renderSkillFile({
    name: skill.id,
    description: skill.description ?? skill.title,
    metadata: {
      title: skill.title,
      "required-scopes": skill.requiredScopes.join(" "),
      ...(skill.tags !== undefined && { tags: skill.tags.join(", ") }),
    },
    content: skill.content,
  });
}

/** Writes a `SKILL.md` file: front matter, then the content, and one line break at the end. */
export function renderSkillFile({ name, description, metadata, content }: SkillDocument): string {
  const members = Object.entries(metadata ?? {}).map(([member, value]) => `  ${member}: ${quoteYaml(value)}`);
  const frontMatter = [
    `name: ${name}`,
    `description: ${quoteYaml(description)}`,
    ...(members.length === 0 ? [] : ["metadata:", ...members]),
  ];
  return `---\n${frontMatter.join("\n")}\n---\n\n${content.trimEnd()}\n`;
}

/** The digest of served bytes as an Agent Skills index writes it: `sha256:` and lower-case hexadecimal. */
export function skillDigest(bytes: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** A double-quoted YAML scalar. A JSON string is one, except for a few characters that YAML does not print. */
function quoteYaml(value: string): string {
  return JSON.stringify(value).replace(/[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
