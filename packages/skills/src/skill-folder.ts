/**
 * Skills from a disk: Agent Skills folders, each with a `SKILL.md` and its files.
 *
 * @module
 */
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type FrontMatter, FrontMatterError, readFrontMatter } from "./front-matter.js";
import { parseSkills } from "./parse-skills.js";
import type { Skill, SkillFile } from "./skill.js";
import { SkillError } from "./skill-error.js";
import { readFileText } from "./skill-files.js";

const manifest = "SKILL.md";
/** Above the limit of a skill, so that a large tree that is no skill is refused early. */
const mostFiles = 500;

/**
 * Reads every Agent Skills folder in a folder, by name: for `initAuthz({ skills: { items: await readSkillFolders("skills") } })`.
 *
 * `name` of the front matter becomes the id and must be the folder's name, `description` stays. Below `metadata` are `title` (or else the id),
 * `required-scopes` (separated by spaces), `tags` (separated by commas) and `visibility` (`DEFAULT` unless given). Everything next to
 * `SKILL.md` becomes a file, except hidden names (`.git`). A folder without `SKILL.md` is left out.
 *
 * @throws {TypeError} A `SKILL.md` or a file next to it cannot be published, or is a link or another special file; the message names it.
 * @see {@link https://agentskills.io/specification | Agent Skills specification}
 */
export async function readSkillFolders(path: string): Promise<readonly Skill[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const shown = entries.filter((entry) => !entry.name.startsWith("."));
  const link = shown.find((entry) => entry.isSymbolicLink());
  if (link !== undefined) throw new TypeError(`${join(path, link.name)} is no ordinary file or folder.`);
  const skills = await Promise.all(
    shown
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .toSorted()
      .map(async (name) => await readSkillFolder(join(path, name), name)),
  );
  return skills.filter((skill) => skill !== undefined);
}

async function readSkillFolder(folder: string, name: string): Promise<Skill | undefined> {
  const there = await lstat(join(folder, manifest)).catch(() => undefined);
  if (there === undefined) return await requireNoManifest(folder);
  if (!there.isFile()) throw new TypeError(`${join(folder, manifest)} is no ordinary file.`);
  let files: readonly SkillFile[] = [];
  try {
    const parts = await readManifest(folder);
    files = await readFiles(folder);
    const [skill] = parseSkills([{ ...parts, ...(files.length > 0 && { files }) }]);
    if (skill?.id !== name) throw new FrontMatterError(`The name must be that of the folder, "${name}".`);
    return skill;
  } catch (cause) {
    if (!(cause instanceof FrontMatterError) && !(cause instanceof SkillError)) throw cause;
    const problem = cause instanceof SkillError ? describeProblem(cause, files) : cause.message;
    throw new TypeError(`${folder} is not a skill that can be published. ${problem}`, { cause });
  }
}

/** On a case-sensitive file system a `skill.md` would be left out silently. */
async function requireNoManifest(folder: string): Promise<undefined> {
  const misnamed = (await readdir(folder)).find((name) => name.toLowerCase() === manifest.toLowerCase());
  if (misnamed !== undefined) throw new TypeError(`${join(folder, misnamed)} must be named ${manifest}.`);
}

/** The names of the members of a skill in a folder. */
const places: Readonly<Record<string, string>> = {
  id: "name",
  title: "metadata.title",
  requiredScopes: "metadata.required-scopes",
  tags: "metadata.tags",
  visibility: "metadata.visibility",
  content: `The text of ${manifest}`,
};

/** Names the file, or the member of the front matter, where an error names a place in a catalog. */
function describeProblem({ path, message }: SkillError, files: readonly SkillFile[]): string {
  const [, member = "", index, rest = ""] = /^\[0\]\.(\w+)(?:\[(\d+)\])?(.*)$/.exec(path) ?? [];
  if (member === "") return message;
  const file = member === "files" && index !== undefined ? files[Number(index)]?.path : undefined;
  const place = file ?? `${places[member] ?? member}${rest}`;
  return place + message.slice(path.length);
}

async function readManifest(folder: string): Promise<object> {
  const { members, metadata, content } = readFrontMatter(await readText(join(folder, manifest)));
  for (const member of ["required-scopes", "visibility"]) requirePlace(member, { members, metadata });
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
  };
}

/**
 * Unknown members are allowed, but in another place or spelling these two would make a hidden skill public.
 *
 * @throws {FrontMatterError}
 */
function requirePlace(member: string, { members, metadata }: Omit<FrontMatter, "content">): void {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[_-]/g, "");
  const isMeant = (name: string) => plain(name) === plain(member);
  const meant = [...members.keys()].find(isMeant) ?? [...metadata.keys()].find(isMeant);
  if (meant === undefined || metadata.has(member)) return;
  throw new FrontMatterError(`"${meant}" has no meaning there. Write "${member}" below metadata.`);
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
      if (entry.isDirectory()) await walk(path);
      else if (!entry.isFile()) throw new TypeError(`${join(folder, path)} is no ordinary file.`);
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
