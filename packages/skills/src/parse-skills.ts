import { isLine, isObject, readList, readText } from "./read-member.js";
import { isScope } from "./scope.js";
import type { Skill } from "./skill.js";
import { SkillError } from "./skill-error.js";

const maximumItems = 100;
const maximumBytes = 1024 * 1024;

// Tab, line feed and carriage return are text; every other control character is not.
const noControls = /^[\t\n\r\P{Cc}]*$/u;
const idForm = /^[a-z0-9][a-z0-9-]*$/;

/** Every member there is. The type makes a forgotten one a compile error. */
const members: Readonly<Record<keyof Skill, true>> = {
  id: true,
  title: true,
  requiredScopes: true,
  visibility: true,
  content: true,
  description: true,
  tags: true,
};

/**
 * Turns a list from anywhere into skills, frozen. A list with one bad item is refused as a whole.
 *
 * At most 100 items and 1 MiB of JSON.
 *
 * @throws {SkillError} `path` says where, the message says what is wrong.
 */
export function parseSkills(value: unknown): readonly Skill[] {
  const skills = readList(value, "", { maximum: maximumItems, read: parseSkill });
  checkUniqueIds(skills);
  checkSize(skills);
  return skills;
}

function parseSkill(value: unknown, path: string): Skill {
  if (!isObject(value)) throw new SkillError(path, "must be an object.", { fault: "object" });
  const { description, tags, ...required } = value;
  const skill: Skill = {
    id: readId(required["id"], `${path}.id`),
    title: readLine(required["title"], `${path}.title`, 200),
    requiredScopes: readScopes(required["requiredScopes"], `${path}.requiredScopes`),
    visibility: readVisibility(required["visibility"], `${path}.visibility`),
    content: readContent(required["content"], `${path}.content`),
    ...(Object.hasOwn(value, "description") && {
      description: readLine(description, `${path}.description`, 1024),
    }),
    ...(Object.hasOwn(value, "tags") && { tags: readTags(tags, `${path}.tags`) }),
  };
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(members, name));
  if (unknown !== undefined) {
    const known = Object.keys(members).join(", ");
    const fault = { fault: "unknownMember", member: unknown, known } as const;
    throw new SkillError(path, `has an unknown member "${unknown}". Known are ${known}.`, fault);
  }
  return Object.freeze(skill);
}

function readId(value: unknown, path: string): string {
  return readText(value, path, {
    maximum: 100,
    matches: (text) => idForm.test(text),
    rule: "must start with a-z or 0-9 and contain only a-z, 0-9 and hyphens.",
    fault: "skillId" as const,
  });
}

function readLine(value: unknown, path: string, maximum: number): string {
  const text = typeof value === "string" ? value.trim() : value;
  return readText(text, path, {
    maximum,
    matches: isLine,
    rule: "must be one line without control characters.",
    fault: "oneLine" as const,
  });
}

function readScopes(value: unknown, path: string): readonly string[] {
  const scope = {
    maximum: 200,
    matches: isScope,
    rule: 'must be "namespace:permission", such as contracts:read.',
    fault: "scopeKey" as const,
  };
  return distinct(
    readList(value, path, { maximum: 100, read: (item, place) => readText(item, place, scope) }),
  );
}

function readTags(value: unknown, path: string): readonly string[] {
  return distinct(readList(value, path, { maximum: 20, read: (item, place) => readLine(item, place, 50) }));
}

function readVisibility(value: unknown, path: string): Skill["visibility"] {
  if (value === "DEFAULT" || value === "HIDDEN_IF_UNALLOWED") return value;
  throw new SkillError(path, 'must be "DEFAULT" or "HIDDEN_IF_UNALLOWED".', { fault: "visibility" });
}

function readContent(value: unknown, path: string): string {
  return readText(value, path, {
    maximum: maximumBytes,
    matches: (text) => noControls.test(text),
    rule: "must not contain control characters.",
    fault: "noControls" as const,
  });
}

function distinct(values: readonly string[]): readonly string[] {
  return Object.freeze([...new Set(values)]);
}

function checkUniqueIds(skills: readonly Skill[]): void {
  const seen = new Set<string>();
  for (const [index, { id }] of skills.entries()) {
    if (seen.has(id)) {
      const fault = { fault: "twice", id } as const;
      throw new SkillError(`[${index}].id`, `is "${id}", which another skill has already.`, fault);
    }
    seen.add(id);
  }
}

function checkSize(skills: readonly Skill[]): void {
  const bytes = Buffer.byteLength(JSON.stringify(skills));
  if (bytes > maximumBytes) {
    throw new SkillError("", `is ${bytes} bytes of JSON; at most ${maximumBytes} are allowed.`, {
      fault: "catalogSize",
      size: bytes,
      most: maximumBytes,
    });
  }
}
