import { createHash } from "node:crypto";
import { renderSkillFile } from "@authz/skills";
import { cleanLine, quoted } from "@authz/skills/invisible";
import { framedText } from "./frame.js";
import type { Skill, SkillSummary } from "./skill-list.js";

const longestName = 64;
const longestDescription = 1024;
const hashLength = 12;

/**
 * The name of a skill's folder, as Agent Skills allow it: at most 64 small letters, digits and single hyphens.
 *
 * `contracts.list-all` is `contracts-list-all`. Where the dot could have stood elsewhere (`contracts-list.all`), or the name would not be
 * allowed, a part of the id's hash follows, so that no two ids share a name.
 *
 * @see {@link https://agentskills.io/specification | Agent Skills specification}
 */
export function skillName(id: string): string {
  const plain = id.replace(".", "-");
  const isClear = /^[a-z0-9]+\.[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id);
  const looksHashed = /-[\da-f]{12}$/.test(plain);
  if (isClear && !looksHashed && plain.length <= longestName) return plain;
  const hash = createHash("sha256").update(id).digest("hex").slice(0, hashLength);
  const readable = id
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, longestName - hashLength - 1)
    .replaceAll(/^-+|-+$/g, "");
  return `${readable}-${hash}`;
}

/** The front matter of a skill, as its members are written. */
export interface SkillFrontMatter {
  name: string;
  description: string;
  metadata?: Record<string, string>;
}

/**
 * What a host knows of a skill before it reads the text. Hosts show it to a model outside of every frame, so the publisher's words are quoted.
 *
 * @param source - the authorization server
 */
export function skillFrontMatter(skill: Skill, source: string): SkillFrontMatter {
  const { id, title, requiredScopes, resource } = skill;
  const metadata = {
    id,
    title: quoted(title),
    scopes: requiredScopes.join(" "),
    publisher: resource,
    source,
  };
  return {
    name: skillName(id),
    description: skillDescription(skill),
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, cleanLine(value)])),
  };
}

/**
 * A skill in the form that agents read: front matter, then its instructions in a frame. Characters that are invisible in an editor are
 * spelled out, so that no one can hide an instruction.
 */
export function skillMarkdown(skill: Skill, source: string): string {
  const { resource, content, files = [] } = skill;
  const what = files.length === 0 ? `"${resource}" published` : `"${resource}" published, here and beside it`;
  return renderSkillFile({ ...skillFrontMatter(skill, source), content: framedText(what, content) });
}

/** What a skill is for, in the words of its publisher: at most 1024 characters, as Agent Skills allow. */
export function skillDescription({
  title,
  description = title,
  resource,
}: Pick<SkillSummary, "title" | "description" | "resource">): string {
  const lead = `${cleanLine(resource)} says: `;
  return `${lead}${quoted(description, longestDescription - lead.length - '"…"'.length)}`;
}
