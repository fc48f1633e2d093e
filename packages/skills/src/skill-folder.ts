/**
 * Skills from a disk: Agent Skills folders, each with a `SKILL.md` and whatever belongs to it.
 *
 * @module
 */
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { FrontMatterError, readFrontMatter } from "./front-matter.js";
import { parseSkills } from "./parse-skills.js";
import { readFileText } from "./skill-files.js";
import type { Skill, SkillFile } from "./skill.js";
import { SkillError } from "./skill-error.js";

const manifest = "SKILL.md";
/** More are refused anyway; nobody should wait for a tree that was meant for something else. */
const mostFiles = 500;

/**
 * Reads every Agent Skills folder in a folder, by name: for `initAuthz({ skills: { items: await readSkillFolders("skills") } })`.
 *
 * `name` of the front matter becomes the id and must be the folder's name, `description` stays. Below `metadata` are `title` (or else the id),
 * `required-scopes` (separated by spaces), `tags` (separated by commas) and `visibility` (`DEFAULT` unless given). Everything next to
 * `SKILL.md` becomes a file, except what is hidden (`.git`).
 *
 * @throws {TypeError} A folder is not a skill folder, or contains a link or another special file; the message names it.
 * @see {@link https://agentskills.io/specification | Agent Skills specification}
 */
export async function readSkillFolders(path: string): Promise<readonly Skill[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
  const skills = await Promise.all(
    names
      .map(({ name }) => name)
      .toSorted()
      .map(async (name) => await readSkillFolder(join(path, name), name)),
  );
  return skills.filter((skill) => skill !== undefined);
}

async function readSkillFolder(folder: string, name: string): Promise<Skill | undefined> {
  const there = await lstat(join(folder, manifest)).catch(() => undefined);
  if (there === undefined) return undefined;
  if (!there.isFile()) throw new TypeError(`${join(folder, manifest)} is no ordinary file.`);
  try {
    const [skill] = parseSkills([await readParts(folder)]);
    if (skill?.id !== name) throw new FrontMatterError(`The name must be that of the folder, "${name}".`);
    return skill;
  } catch (cause) {
    if (!(cause instanceof FrontMatterError) && !(cause instanceof SkillError)) throw cause;
    throw new TypeError(`${folder} is not a skill that can be published. ${cause.message}`, { cause });
  }
}

async function readParts(folder: string): Promise<object> {
  const { members, metadata, content } = readFrontMatter(await readText(join(folder, manifest)));
  const files = await readFiles(folder);
  const description = members.get("description");
  const tags = listIn(metadata.get("tags"), ",");
  return {
    id: members.get("name"),
    title: metadata.get("title") ?? members.get("name"),
    requiredScopes: listIn(metadata.get("required-scopes"), " "),
    visibility: metadata.get("visibility") ?? "DEFAULT",
    content,
    ...(description !== undefined && { description }),
    ...(tags.length > 0 && { tags }),
    ...(files.length > 0 && { files }),
  };
}

async function readText(path: string): Promise<string> {
  const text = readFileText(await readFile(path), manifest);
  if (text === undefined) throw new FrontMatterError(`${manifest} is not UTF-8.`);
  return text;
}

async function readFiles(folder: string): Promise<readonly SkillFile[]> {
  const files: SkillFile[] = [];
  const walk = async (below: string): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.name.startsWith(".") || path === manifest) continue;
      // oxlint-disable-next-line no-await-in-loop -- in order, and a tree that is too large ends early
      if (entry.isDirectory()) await walk(path);
      else if (!entry.isFile()) throw new TypeError(`${join(folder, path)} is no ordinary file.`);
      // oxlint-disable-next-line no-await-in-loop -- see above
      else files.push({ path, content: await readFile(join(folder, path)) });
      if (files.length > mostFiles) throw new TypeError(`${folder} has too many files for a skill.`);
    }
  };
  await walk("");
  return files;
}

function listIn(text: string | undefined, separator: string): readonly string[] {
  return (text ?? "")
    .split(separator)
    .map((item) => item.trim())
    .filter(Boolean);
}
