import type { JsonObject } from "@authz/dpop/jws";
import { findInvisible } from "./invisible.js";
import { skillDigest } from "./markdown.js";
import { readList, readObject, readString, requireKnownMembers } from "./read-value.js";
import type { SkillFile, SkillFileEntry } from "./skill.js";
import { SkillError } from "./skill-error.js";

const maximumFiles = 50;
const maximumPath = 150;
/** Of one file. */
export const maximumFileBytes: number = 1024 * 1024;

// No hidden name, no "..", and nothing that looks like an option of a command.
const pathForm = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}(?:\/[A-Za-z0-9_][A-Za-z0-9._-]{0,99})*$/;
/** Windows reserves some names with any extension, and drops a last dot. */
const notOnWindows = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|\.$/i;
const digestForm = /^sha256:[0-9a-f]{64}$/;

/** Whether a skill's file may have this path: relative, without a name that another system reads differently, and not `SKILL.md`. */
export function isSkillPath(path: string): boolean {
  return (
    path.length <= maximumPath &&
    pathForm.test(path) &&
    !path.split("/").some((name) => notOnWindows.test(name)) &&
    !/^skill\.md(?:\/|$)/i.test(path)
  );
}

/** Whether this is a digest in the form that catalogs use. */
export function isSkillDigest(digest: string): boolean {
  return digestForm.test(digest);
}

/** The bytes of a file. */
export function fileBytes({ content }: Pick<SkillFile, "content">): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : content;
}

/**
 * The text of a file; undefined when its bytes are not text.
 *
 * @throws {SkillError} `hiddenCharacters`: it is text with invisible characters.
 */
export function readFileText(bytes: Uint8Array, path: string): string | undefined {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
  // Invisible text in a file could be an instruction to an agent.
  const found = findInvisible(text);
  if (found === undefined) return text;
  const problem = `must not contain invisible characters. ${describeHidden(found.character, text.slice(0, found.index))}`;
  throw new SkillError(path, problem, { fault: "hiddenCharacters" });
}

/** The line and the code point, because the character itself cannot be seen. */
function describeHidden(character: string, before: string): string {
  const codePoint = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0") ?? "";
  const advice = character === "\uFEFF" ? ", a byte order mark: save it as UTF-8 without one" : "";
  return `Line ${before.split("\n").length} has U+${codePoint}${advice}.`;
}

/** The entries of these files in a catalog. */
export function listedFiles(files: readonly SkillFile[]): readonly SkillFileEntry[] {
  return files.map((file) => {
    const bytes = fileBytes(file);
    return { path: file.path, size: bytes.length, digest: skillDigest(bytes) };
  });
}

/** Reads the files of a skill, with their contents. */
export function parseFiles(value: unknown, path: string): readonly SkillFile[] {
  return parseEach(value, path, { path: true, content: true }, (file, place) => ({
    path: readPath(file["path"], `${place}.path`),
    content: readContent(file["content"], `${place}.content`),
  }));
}

/** Reads the entries of the files of a skill in a catalog. */
export function parseFileEntries(value: unknown, path: string): readonly SkillFileEntry[] {
  return parseEach(value, path, { path: true, size: true, digest: true }, (file, place) => ({
    path: readPath(file["path"], `${place}.path`),
    size: readSize(file["size"], `${place}.size`),
    digest: readString(file["digest"], `${place}.digest`, {
      maximum: 71,
      matches: isSkillDigest,
      rule: 'must be "sha256:" and 64 lowercase hexadecimal digits.',
      fault: "digest",
    }),
  }));
}

function parseEach<File extends { readonly path: string }>(
  value: unknown,
  path: string,
  members: Readonly<Record<keyof File, true>>,
  parse: (file: JsonObject, place: string) => File,
): readonly File[] {
  const files = readList(value, path, {
    maximum: maximumFiles,
    read: (item, place) => {
      const file = readObject(item, place);
      requireKnownMembers(file, place, members);
      return Object.freeze(parse(file, place));
    },
  });
  checkPlaces(files, path);
  return files;
}

function readPath(value: unknown, place: string): string {
  return readString(value, place, {
    maximum: maximumPath,
    matches: isSkillPath,
    rule: "must be a relative path such as references/errors.md: names of a-z, A-Z, 0-9, dots, hyphens and underscores that begin with a letter, a digit or an underscore. SKILL.md is made from the content.",
    fault: "filePath",
  });
}

function readContent(value: unknown, place: string): string | Uint8Array {
  if (value === undefined) throw new SkillError(place, "is missing.", { fault: "missing" });
  if (typeof value !== "string" && !(value instanceof Uint8Array))
    throw new SkillError(place, "must be a string or bytes.", { fault: "content" });
  const bytes = Buffer.from(value as string);
  if (bytes.length > maximumFileBytes)
    throw new SkillError(place, `must have at most ${maximumFileBytes} bytes.`, {
      fault: "fileSize",
      most: maximumFileBytes,
    });
  readFileText(bytes, place);
  return typeof value === "string" ? value : bytes;
}

function readSize(value: unknown, place: string): number {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maximumFileBytes)
    return Number(value);
  throw new SkillError(place, `must be a number of bytes, at most ${maximumFileBytes}.`, {
    fault: "fileSize",
    most: maximumFileBytes,
  });
}

/** Refuses two files that are one on a case-insensitive file system, and a file that is the folder of another. */
function checkPlaces(files: readonly { readonly path: string }[], place: string): void {
  const taken = new Set<string>();
  const folders = new Set<string>();
  for (const [index, { path }] of files.entries()) {
    const folded = path.toLowerCase();
    const above = folded
      .split("/")
      .map((_, depth, names) => names.slice(0, depth).join("/"))
      .slice(1);
    if (taken.has(folded) || folders.has(folded) || above.some((folder) => taken.has(folder)))
      throw new SkillError(`${place}[${index}].path`, `is "${path}", which another file already has.`, {
        fault: "fileTwice",
        path,
      });
    taken.add(folded);
    for (const folder of above) folders.add(folder);
  }
}
