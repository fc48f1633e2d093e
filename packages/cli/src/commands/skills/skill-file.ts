import { createHash } from "node:crypto";
import type { Skill } from "@authz/client";
import { renderSkillFile } from "@authz/skills";
import { cleanLine } from "@authz/agent-tools";
import { framedSkill } from "@authz/agent-tools";

const LONGEST_NAME = 64;
const HASH_LENGTH = 12;

/**
 * The name of a skill's folder, as Agent Skills allow it: at most 64 small letters, digits and single hyphens.
 *
 * `contracts.list-all` is `contracts-list-all`. Where the dot could have stood elsewhere (`contracts-list.all`), or the name would not be
 * allowed, a part of the id's hash follows, so that no two ids share a name, whatever else is published.
 *
 * @see {@link https://agentskills.io/specification | Agent Skills specification}
 */
export function skillName(id: string): string {
  const plain = id.replace(".", "-");
  const isClear = /^[a-z0-9]+\.[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id);
  const looksHashed = /-[\da-f]{12}$/.test(plain);
  if (isClear && !looksHashed && plain.length <= LONGEST_NAME) return plain;
  const hash = createHash("sha256").update(id).digest("hex").slice(0, HASH_LENGTH);
  const readable = id
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, LONGEST_NAME - HASH_LENGTH - 1)
    .replaceAll(/^-+|-+$/g, "");
  return `${readable}-${hash}`;
}

/** Where a skill file came from. */
export interface SkillOrigin {
  id: string;
  /** The authorization server; undefined in files that do not say. */
  source: string | undefined;
}

/**
 * A skill in the form that agents read: front matter, then its instructions in a frame. What a person could not see in an editor is written
 * out, so that nobody hides an instruction in it.
 */
export function skillFile(skill: Skill, source: string): string {
  const { id, title, description = title, requiredScopes, resource } = skill;
  const metadata = { id, title, scopes: requiredScopes.join(" "), publisher: resource, source };
  return renderSkillFile({
    name: skillName(id),
    description: cleanLine(description).slice(0, 1024),
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, cleanLine(value)])),
    content: framedSkill(skill),
  });
}

/** Reads from the front matter where a file came from; undefined when it is none of ours. */
export function readOrigin(text: string): SkillOrigin | undefined {
  const front = /^---\n(.*?)\n---\n/s.exec(text)?.[1] ?? "";
  const id = member(front, "id");
  return id === undefined ? undefined : { id, source: member(front, "source") };
}

function member(front: string, name: string): string | undefined {
  const written = new RegExp(`^ {2}${name}: (".*")$`, "m").exec(front)?.[1];
  try {
    return written === undefined ? undefined : String(JSON.parse(written));
  } catch {
    return undefined;
  }
}
