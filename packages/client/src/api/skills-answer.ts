import type { JsonObject } from "@authz/dpop/jws";
import { AuthzClientError } from "../errors.js";
import { JsonFields } from "../transport/json-fields.js";
import { quoted } from "../transport/quoted.js";

const maxPath = 200;
const maxFileBytes = 1024 * 1024;

/** One entry of the list of skills. */
export interface SkillSummary {
  id: string;
  title: string;
  description: string | undefined;
  tags: readonly string[];
  requiredScopes: readonly string[];
  /** Whether the signed-in person has all scopes it needs. */
  allowed: boolean;
  /** Key of the service that published it. */
  resource: string;
}

/** A skill with its instruction text (Markdown). */
export interface Skill extends SkillSummary {
  content: string;
  files: readonly SkillFileEntry[];
}

/** A file of a skill. */
export interface SkillFileEntry {
  /** In the skill's folder, such as `references/errors.md`. */
  path: string;
  /** In bytes. */
  size: number;
  /** SHA-256 of the bytes: `sha256:` and lower-case hexadecimal. */
  digest: string;
}

/** A publisher whose skills may be missing or outdated. */
export interface SkillGap {
  /** Its key. */
  resource: string;
  name: string;
  /** `pending`, `failed`, `refused` (missing), `stale` (those of `fetchedAt`), `undecided` (some may be hidden); a newer server may have more. */
  state: string;
  /** ISO 8601. */
  fetchedAt: string | undefined;
}

/** The skills that the signed-in person can see, and whether the list is complete. */
export interface SkillList {
  items: readonly SkillSummary[];
  /** Publishers whose skills may be missing or outdated: a skill that is not listed may be one of theirs. */
  incomplete: readonly SkillGap[];
  /** The organization, and the instructions that its administrators want every agent to know. */
  installation: { name: string; instructions: string | undefined } | undefined;
}

export function parseSkillList(body: JsonObject, from: string): SkillList {
  const fields = new JsonFields(body, from);
  const installation = fields.optionalObject("installation");
  return {
    items: fields.objects("items").map(skillSummary),
    incomplete: parseGaps(fields),
    installation: installation && {
      name: installation.string("name"),
      instructions: installation.optionalString("instructions"),
    },
  };
}

export function parseSkill(body: JsonObject, from: string): Skill {
  const fields = new JsonFields(body, from);
  return {
    ...skillSummary(fields),
    content: fields.string("content", 1024 * 1024),
    files: fields.optionalObjects("files").map((file) => ({
      path: file.string("path", maxPath),
      size: file.bytes("size", maxFileBytes),
      digest: file.digest("digest"),
    })),
  };
}

/** The failure for a file that was not found, or whose skill is not there any more. */
export function noSuchFile(id: string, path: string): AuthzClientError {
  return new AuthzClientError("skill_not_found", {
    what: `There is no file ${quoted(path)} in a skill "${id}".`,
    why: "The skill has no such file, or it is hidden because you lack its permissions.",
  });
}

/** The failure for a skill that was not found, which may be missing only because its catalog is. */
export function noSuchSkill(id: string, body: JsonObject, from: string): AuthzClientError {
  const [gap] = parseGaps(new JsonFields(body, from));
  if (gap !== undefined)
    return new AuthzClientError("skill_uncertain", {
      what: `It is not known whether there is a skill "${id}".`,
      why: `The current skills of ${gap.name} could not be fetched (${gap.state}).`,
    });
  return new AuthzClientError("skill_not_found", {
    what: `There is no skill "${id}".`,
    why: "Nobody published it, or it is hidden because you lack its permissions.",
  });
}

function parseGaps(fields: JsonFields): readonly SkillGap[] {
  return fields.optionalObjects("incomplete").map((gap) => ({
    resource: gap.key("resource"),
    name: gap.optionalString("name") ?? gap.key("resource"),
    state: gap.key("state"),
    fetchedAt: gap.optionalTimestamp("fetchedAt"),
  }));
}

function skillSummary(fields: JsonFields): SkillSummary {
  return {
    id: fields.key("id"),
    title: fields.string("title"),
    description: fields.optionalString("description"),
    tags: fields.optionalStrings("tags"),
    requiredScopes: fields.scopes("requiredScopes"),
    allowed: fields.boolean("allowed"),
    resource: fields.key("resource"),
  };
}
