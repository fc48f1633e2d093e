import { createHash, randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { lstat, mkdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isSkillDigest, isSkillPath } from "@authz/skills";
import { tidyWhenInterrupted } from "../../interruption.js";

/** A file that authz wrote, or is to write. */
export interface PulledFile {
  /** In the folder of the skill. */
  path: string;
  digest: string;
}

/** What authz wrote into a folder beside `SKILL.md`: only that is replaced or removed. */
const manifest = ".authz-files.json";
const mostFiles = 1000;

/**
 * Makes these the files of a skill's folder. Other files there stay: nothing is replaced but what authz wrote, nothing is
 * removed but what authz wrote and is unchanged, no link is followed, and nothing can be run that could not before.
 *
 * @param read - gives the bytes of a file that is not there yet
 */
export async function writeFiles<File extends PulledFile>(
  folder: string,
  files: readonly File[],
  read: (file: File) => Promise<Uint8Array>,
): Promise<void> {
  const before = await readManifest(folder);
  if (files.length === 0 && before.length === 0) return;
  for (const { path } of files)
    if (!isSkillPath(path)) throw new Error(`${JSON.stringify(path)} cannot be a file of a skill.`);
  const wanted = new Map(files.map(({ path, digest }) => [path, digest]));
  const gone = before.filter(({ path }) => !wanted.has(path));
  // After an interruption, the next run still knows which files are its own.
  await writeManifest(folder, [...files, ...gone]);
  const ours = new Set(before.map(({ path }) => path));
  for (const file of files) {
    await writeOne(folder, file, { isOurs: ours.has(file.path), read });
  }
  await removeUnchanged(folder, gone);
  await writeManifest(folder, files);
}

/** Removes what authz wrote and is unchanged. */
export async function removeFiles(folder: string): Promise<void> {
  const before = await readManifest(folder);
  if (before.length === 0) return;
  await removeUnchanged(folder, before);
  await writeManifest(folder, []);
}

async function writeOne<File extends PulledFile>(
  folder: string,
  file: File,
  { isOurs, read }: { isOurs: boolean; read: (file: File) => Promise<Uint8Array> },
): Promise<void> {
  const place = join(folder, file.path);
  await makeFoldersOf(folder, file.path);
  const there = await digestOf(place);
  if (there === file.digest) return;
  if (there !== undefined && !isOurs)
    throw new Error(`There is something else at ${place} that authz did not write.`);
  await replaceFile(place, await read(file));
}

/** Makes the folders on the way to a file, none of which may be a link. */
async function makeFoldersOf(folder: string, path: string): Promise<void> {
  let below = folder;
  for (const name of path.split("/").slice(0, -1)) {
    below = join(below, name);
    await mkdir(below).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
    const facts = await lstat(below);
    if (!facts.isDirectory()) throw new Error(`${below} is not a folder.`);
  }
}

async function removeUnchanged(folder: string, files: readonly PulledFile[]): Promise<void> {
  for (const { path, digest } of files) {
    const place = join(folder, path);
    if (!(await isBelow(folder, path)) || (await digestOf(place)) !== digest) continue;
    await rm(place);
    for (let below = dirname(path); below !== "."; below = dirname(below))
      await rmdir(join(folder, below)).catch(() => undefined);
  }
}

/** Whether no link leads to a file. */
async function isBelow(folder: string, path: string): Promise<boolean> {
  const names = path.split("/").slice(0, -1);
  for (let depth = 1; depth <= names.length; depth += 1) {
    const facts = await lstat(join(folder, ...names.slice(0, depth))).catch(() => undefined);
    if (facts?.isDirectory() !== true) return false;
  }
  return true;
}

/** Of an ordinary file; `other` for what is none, undefined when there is nothing. */
async function digestOf(place: string): Promise<string | undefined> {
  const facts = await lstat(place).catch(missing);
  if (facts === undefined) return undefined;
  if (!facts.isFile()) return "other";
  return `sha256:${createHash("sha256")
    .update(await readFile(place))
    .digest("hex")}`;
}

async function readManifest(folder: string): Promise<readonly PulledFile[]> {
  const place = join(folder, manifest);
  const facts = await lstat(place).catch(missing);
  if (facts?.isFile() !== true) return [];
  try {
    const { files } = JSON.parse(await readFile(place, "utf8")) as { files: Record<string, unknown> };
    // It may come from elsewhere: entries that are no files of a skill are ignored.
    return Object.entries(files)
      .slice(0, mostFiles)
      .flatMap(([path, digest]) =>
        typeof digest === "string" && isSkillPath(path) && isSkillDigest(digest) ? [{ path, digest }] : [],
      );
  } catch {
    return [];
  }
}

async function writeManifest(folder: string, files: readonly PulledFile[]): Promise<void> {
  const place = join(folder, manifest);
  if (files.length === 0) {
    const facts = await lstat(place).catch(missing);
    if (facts?.isFile() === true) await rm(place);
    return;
  }
  const named = Object.fromEntries(files.map(({ path, digest }) => [path, digest]));
  const text = `${JSON.stringify({ writtenBy: "authz skills pull", files: named }, undefined, 2)}\n`;
  await replaceFile(place, text);
}

/** Writes a file in one step: a reader sees the old one or the new one. It is not executable. */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const partial = `${file}.${randomBytes(4).toString("hex")}.part`;
  const keep = tidyWhenInterrupted(() => rmSync(partial, { force: true }));
  try {
    await writeFile(partial, content, { flag: "wx", mode: 0o644 });
    await rename(partial, file);
  } finally {
    await rm(partial, { force: true });
    keep();
  }
}

/** What a file that is not there means: nothing. */
export function missing(error: unknown): undefined {
  if (codeOf(error) !== "ENOENT") throw error;
}

/** Node's code for a failure. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
