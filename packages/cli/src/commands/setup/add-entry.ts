import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type FileEntry, fileText } from "@authz/agent-tools/hosts";
import { exitCodes } from "../../exit-code.js";
import { CliError } from "../../messages/cli-error.js";
import { addJsonMember } from "./json-member.js";
import { addTomlTable } from "./toml-table.js";

const maxBytes = 4 * 1024 * 1024;

/** Where files of hosts are. */
export interface Places {
  home: string;
  /** The folder of the project. */
  project: string;
}

/**
 * Adds an entry to the file of a host, and leaves everything else in it as it is. An entry of this name that says something else stays.
 *
 * @returns The file, and whether it was changed.
 * @throws {CliError} `config_invalid`: the file cannot be understood, has another entry of this name, or is a link out of a project.
 */
export async function addEntry(file: FileEntry, places: Places): Promise<{ path: string; isNew: boolean }> {
  const isInHome = file.path.startsWith("~/");
  const path = isInHome ? join(places.home, file.path.slice(2)) : resolve(places.project, file.path);
  if (!isInHome) await refuseLinks(path, resolve(places.project));
  const target = await realpath(path).catch(() => path);
  const before = await readText(target);
  const after = before === undefined || before.trim() === "" ? fileText(file) : changed(before, file, path);
  if (after === before) return { path, isNew: false };
  await replace(target, after);
  return { path, isNew: true };
}

/** A cloned repository must not choose which file is changed. */
async function refuseLinks(path: string, project: string): Promise<void> {
  for (let place = path; place !== project && place !== dirname(place); place = dirname(place)) {
    const facts = await lstat(place).catch(() => undefined);
    if (facts?.isSymbolicLink() === true)
      throw unusable(path, `${place} is a link.`, "Edit the file it points to by hand.");
  }
}

async function readText(path: string): Promise<string | undefined> {
  const facts = await lstat(path).catch(() => undefined);
  if (facts === undefined) return undefined;
  if (!facts.isFile() || facts.size > maxBytes)
    throw unusable(path, "It is not a file of a plausible size.", "Add the lines by hand.");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw unusable(path, "It is not UTF-8.", "Add the lines by hand.");
  }
}

function changed(before: string, file: FileEntry, path: string): string {
  const result = file.format === "toml" ? addTomlTable(before, file) : addJsonMember(before, file);
  if (typeof result === "string") return result;
  const [parent] = file.at.slice(-2);
  const name = file.at.at(-1) ?? "";
  if (result.problem === "taken")
    throw unusable(
      path,
      `It has an entry "${name}" below "${parent ?? ""}" that says something else.`,
      "Remove it, or choose another name with --name.",
    );
  throw unusable(path, "It cannot be changed without losing something.", "Add the lines by hand.");
}

/** In one step: a host that reads meanwhile sees the old file or the new one. */
async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    const mode = (await lstat(path).catch(() => undefined))?.mode;
    // Some hosts keep credentials there too: the file is private at every moment.
    await writeFile(temporary, text, { flag: "wx", ...(mode !== undefined && { mode: mode & 0o700 }) });
    if (mode !== undefined) await chmod(temporary, mode & 0o777);
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new CliError("not_saved", {
      what: `${path} cannot be written.`,
      why: cause instanceof Error ? cause.message : String(cause),
      hint: "Add the lines by hand.",
      exitCode: exitCodes.failure,
      cause,
    });
  }
}

function unusable(path: string, why: string, hint: string): CliError {
  return new CliError("config_invalid", {
    what: `${path} was not changed.`,
    why,
    hint,
    exitCode: exitCodes.failure,
  });
}
