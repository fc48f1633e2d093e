// By hand, and not with a schema library: loading one would take every service longer than loading the whole SDK.
import { isJsonObject } from "@authz/dpop/jws";
import { isScope } from "@authz/dpop/jwt";
import type { Skill } from "./skill.js";

/** What is wrong at a place of a catalog. */
export type SkillFault =
  | "missing"
  | "object"
  | "string"
  | "list"
  | "notEmpty"
  | "characters"
  | "items"
  | "skillId"
  | "oneLine"
  | "scopeKey"
  | "visibility"
  | "noControls"
  | "unknownMember"
  | "twice"
  | "catalogSize";

/** A catalog that was refused; the message names the place and what is wrong there. */
export class SkillError extends Error {
  override readonly name = "SkillError";
  /** Where in the catalog, such as `[2].title`; empty for the catalog as a whole. */
  readonly path: string;
  /** For whoever says it in other words. */
  readonly fault: SkillFault;
  /** What those words name, such as how many characters there may be. */
  readonly values: Readonly<Record<string, string | number>>;

  constructor(
    path: string,
    problem: string,
    { fault, ...values }: { readonly fault: SkillFault; readonly [name: string]: string | number },
  ) {
    super(`${path === "" ? "The catalog" : path} ${problem}`);
    this.path = path;
    this.fault = fault;
    this.values = values;
  }
}

const maximumItems = 100;
const maximumBytes = 1024 * 1024;

// Tab, line feed and carriage return belong into Markdown; every other control character does not.
const noControls = /^[\t\n\r\P{Cc}]*$/u;
const idForm = /^[a-z0-9][a-z0-9-]*$/;
const oneLine = /^[^\p{Cc}\u2028\u2029]*$/u;

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
  if (!isJsonObject(value)) throw new SkillError(path, "must be an object.", { fault: "object" });
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
  return readString(value, path, {
    maximum: 100,
    matches: (id) => idForm.test(id),
    rule: "must start with a-z or 0-9 and contain only a-z, 0-9 and hyphens.",
    fault: "skillId",
  });
}

function readLine(value: unknown, path: string, maximum: number): string {
  const line = typeof value === "string" ? value.trim() : value;
  return readString(line, path, {
    maximum,
    matches: (candidate) => oneLine.test(candidate),
    rule: "must be one line without control characters.",
    fault: "oneLine",
  });
}

function readScopes(value: unknown, path: string): readonly string[] {
  const scope = {
    maximum: 200,
    matches: isScope,
    rule: 'must be "namespace:permission", such as contracts:read.',
    fault: "scopeKey",
  } as const;
  return distinct(
    readList(value, path, { maximum: 100, read: (item, place) => readString(item, place, scope) }),
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
  return readString(value, path, {
    maximum: maximumBytes,
    matches: (content) => noControls.test(content),
    rule: "must not contain control characters.",
    fault: "noControls",
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

/** What a string has to be, besides not empty. */
interface StringRule {
  readonly maximum: number;
  readonly matches: (value: string) => boolean;
  /** What the error says when it does not match. */
  readonly rule: string;
  /** The same, for whoever says it in other words. */
  readonly fault: SkillFault;
}

/** How long a list may be, and how each of its items is read. */
interface ListRule<Item> {
  readonly maximum: number;
  readonly read: (item: unknown, path: string) => Item;
}

/** Reads a string at a place in the catalog. */
function readString(value: unknown, path: string, { maximum, matches, rule, fault }: StringRule): string {
  if (value === undefined) throw new SkillError(path, "is missing.", { fault: "missing" });
  if (typeof value !== "string") throw new SkillError(path, "must be a string.", { fault: "string" });
  if (value.length === 0) throw new SkillError(path, "must not be empty.", { fault: "notEmpty" });
  if (value.length > maximum) {
    const tooLong = { fault: "characters", most: maximum } as const;
    throw new SkillError(path, `must have at most ${maximum} characters.`, tooLong);
  }
  if (!matches(value)) throw new SkillError(path, rule, { fault });
  return value;
}

/** Reads a list at a place in the catalog, frozen. */
function readList<Item>(value: unknown, path: string, { maximum, read }: ListRule<Item>): readonly Item[] {
  if (value === undefined) throw new SkillError(path, "is missing.", { fault: "missing" });
  if (!Array.isArray(value)) throw new SkillError(path, "must be a list.", { fault: "list" });
  if (value.length > maximum) {
    const tooMany = { fault: "items", most: maximum } as const;
    throw new SkillError(path, `must have at most ${maximum} items.`, tooMany);
  }
  return Object.freeze(Array.from(value, (item: unknown, index) => read(item, `${path}[${index}]`)));
}
