// Without a schema library: loading one takes longer than loading the whole SDK.
import { isScope } from "@authz/dpop/jwt";
import { readList, readObject, readString, requireKnownMembers } from "./read-value.js";
import type { CatalogSkill, Skill, SkillFile, SkillFileEntry } from "./skill.js";
import { SkillError } from "./skill-error.js";
import { listedFiles, parseFileEntries, parseFiles } from "./skill-files.js";

const maximumItems = 100;
const maximumBytes = 1024 * 1024;
const maximumTotalFileBytes = 8 * 1024 * 1024;

// Markdown has tabs, line feeds and carriage returns, and no other control character.
const noControls = /^[\t\n\r\P{Cc}]*$/u;
const idForm = /^[a-z0-9][a-z0-9-]*$/;
const oneLine = /^[^\p{Cc}\u2028\u2029]*$/u;

/** The type makes a forgotten member a compile error. */
const knownMembers: Readonly<Record<keyof Skill, true>> = {
  id: true,
  title: true,
  requiredScopes: true,
  visibility: true,
  content: true,
  description: true,
  tags: true,
  files: true,
};

/**
 * Turns a list from anywhere into skills, frozen. A list with one bad item is refused as a whole.
 *
 * At most 100 items and 1 MiB of JSON, not counting the files: at most 50 per skill, 1 MiB each and 8 MiB in total.
 *
 * @throws {SkillError} `path` says where, the message says what is wrong.
 */
export function parseSkills(value: unknown): readonly Skill[] {
  const skills = parseList<Skill>(value, (files, path) => parseFiles(files, path));
  checkSizes(skills.map(catalogSkill));
  return skills;
}

/**
 * Turns a published catalog into skills, frozen: as `parseSkills`, with the facts about each file instead of its content.
 *
 * @throws {SkillError} As `parseSkills` does.
 */
export function parseCatalog(value: unknown): readonly CatalogSkill[] {
  const skills = parseList<CatalogSkill>(value, (files, path) => parseFileEntries(files, path));
  checkSizes(skills);
  return skills;
}

/** A skill as a catalog describes it, with the facts about each file. */
export function catalogSkill({ files, ...skill }: Skill): CatalogSkill {
  return files === undefined ? skill : { ...skill, files: listedFiles(files) };
}

type ReadFiles<Files> = (value: unknown, path: string) => Files;

type WithFiles = Omit<Skill, "files"> & { readonly files?: readonly (SkillFile | SkillFileEntry)[] };

function parseList<Item extends WithFiles>(
  value: unknown,
  readFiles: ReadFiles<NonNullable<Item["files"]>>,
): readonly Item[] {
  const skills = readList(value, "", {
    maximum: maximumItems,
    read: (item, path) => parseSkill<Item>(item, path, readFiles),
  });
  checkUniqueIds(skills);
  return skills;
}

function parseSkill<Item extends WithFiles>(
  value: unknown,
  path: string,
  readFiles: ReadFiles<NonNullable<Item["files"]>>,
): Item {
  const members = readObject(value, path);
  const { description, tags, files, ...required } = members;
  const skill = {
    id: readId(required["id"], `${path}.id`),
    title: readLine(required["title"], `${path}.title`, 200),
    requiredScopes: readScopes(required["requiredScopes"], `${path}.requiredScopes`),
    visibility: readVisibility(required["visibility"], `${path}.visibility`),
    content: readContent(required["content"], `${path}.content`),
    ...(Object.hasOwn(members, "description") && {
      description: readLine(description, `${path}.description`, 1024),
    }),
    ...(Object.hasOwn(members, "tags") && { tags: readTags(tags, `${path}.tags`) }),
    ...(Object.hasOwn(members, "files") && { files: readFiles(files, `${path}.files`) }),
  };
  requireKnownMembers(members, path, knownMembers);
  return Object.freeze(skill) as Item;
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

function checkUniqueIds(skills: readonly WithFiles[]): void {
  const seen = new Set<string>();
  for (const [index, { id }] of skills.entries()) {
    if (seen.has(id)) {
      const fault = { fault: "twice", id } as const;
      throw new SkillError(`[${index}].id`, `is "${id}", which another skill already has.`, fault);
    }
    seen.add(id);
  }
}

function checkSizes(skills: readonly CatalogSkill[]): void {
  const bytes = Buffer.byteLength(JSON.stringify(skills));
  if (bytes > maximumBytes) {
    throw new SkillError("", `is ${bytes} bytes of JSON; at most ${maximumBytes} are allowed.`, {
      fault: "catalogSize",
      size: bytes,
      most: maximumBytes,
    });
  }
  const fileBytes = skills.flatMap(({ files = [] }) => files).reduce((sum, { size }) => sum + size, 0);
  if (fileBytes > maximumTotalFileBytes) {
    throw new SkillError(
      "",
      `has files of ${fileBytes} bytes; at most ${maximumTotalFileBytes} are allowed.`,
      {
        fault: "filesSize",
        size: fileBytes,
        most: maximumTotalFileBytes,
      },
    );
  }
}
