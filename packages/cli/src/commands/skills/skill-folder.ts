import { lstat, mkdir, readdir, readFile, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { AuthzClientError, fileProblem, makeFolder } from "@authz/client";
import { exitCodes } from "../../exit-code.js";
import { CliError } from "../../messages/cli-error.js";
import { skillName } from "@authz/agent-tools";
import { codeOf, missing, type PulledFile, removeFiles, replaceFile, writeFiles } from "./folder-files.js";

const skillFileName = "SKILL.md";

/** A skill as a file of a folder of skills. */
export interface SkillPlace {
  id: string;
  file: string;
}

/** What belongs to a skill besides its text, and how it is read. */
export interface SkillFiles<File extends PulledFile> {
  list: readonly File[];
  read: (file: File) => Promise<Uint8Array>;
}

/**
 * A folder of skills, which others may have prepared: a repository that was cloned, for example. No link in it is followed, and no file that
 * did not come from the same skill is replaced.
 */
export class SkillFolder {
  readonly #path: string;
  readonly #source: string;

  constructor(path: string, source: string) {
    this.#path = path;
    this.#source = source;
  }

  /** A default folder must not be a link either. @throws {CliError} `not_saved` */
  async refuseLink(): Promise<void> {
    await this.#guarded(this.#path, async () => await requireNoLink(this.#path));
  }

  /**
   * Writes a skill and its files, each in one step: a reader sees the old text or the new one.
   *
   * @throws {CliError} `not_saved`
   */
  async write<File extends PulledFile>(
    id: string,
    text: string,
    files: SkillFiles<File>,
  ): Promise<SkillPlace> {
    const folder = join(this.#path, skillName(id));
    const file = join(folder, skillFileName);
    return await this.#guarded(file, async () => {
      await makeFolder(this.#path);
      await mkdir(folder).catch((error: unknown) => {
        if (codeOf(error) !== "EEXIST") throw error;
      });
      await requireNoLink(folder);
      await requireNoLink(file);
      const there = await this.#originOf(file);
      if (there === "unknown" || (there !== undefined && !this.#isSame(there, id)))
        throw new Error("There is something else with this name that authz did not write for this skill.");
      await writeFiles(folder, files.list, files.read);
      await replaceFile(file, text);
      return { id, file };
    });
  }

  /** Removes the skills of the same server that are not among these nor to be spared, and answers with them. */
  async removeOthers(
    kept: readonly SkillPlace[],
    isSpared: (place: SkillPlace) => boolean,
  ): Promise<readonly SkillPlace[]> {
    return await this.#guarded(this.#path, async () => {
      const removed: SkillPlace[] = [];
      const entries = await readdir(this.#path, { withFileTypes: true }).catch(missing);
      for (const entry of entries ?? []) {
        const file = join(this.#path, entry.name, skillFileName);
        if (!entry.isDirectory() || kept.some((place) => place.file === file)) continue;
        const origin = await this.#originOf(file);
        if (origin === undefined || origin === "unknown" || origin.source !== this.#source) continue;
        if (isSpared({ id: origin.id, file })) continue;
        await removeFiles(join(this.#path, entry.name));
        await rm(file);
        // Other files beside it stay.
        await rmdir(join(this.#path, entry.name)).catch(() => undefined);
        removed.push({ id: origin.id, file });
      }
      return removed;
    });
  }

  #isSame({ id, source }: SkillOrigin, wanted: string): boolean {
    return id === wanted && (source === undefined || source === this.#source);
  }

  /** Where a file came from; undefined when there is none. */
  async #originOf(file: string): Promise<SkillOrigin | "unknown" | undefined> {
    const facts = await lstat(file).catch(missing);
    if (facts === undefined) return undefined;
    return facts.isFile() ? (readOrigin(await readFile(file, "utf8")) ?? "unknown") : "unknown";
  }

  async #guarded<T>(file: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      // What the server answered is said in its own words.
      if (cause instanceof AuthzClientError) throw cause;
      const why = fileProblem(cause);
      throw new CliError("not_saved", {
        what: `The skill could not be written to ${file}.`,
        ...(why === undefined ? {} : { why }),
        hint: "Choose a folder you can write to: --directory PATH",
        exitCode: exitCodes.failure,
        cause,
      });
    }
  }
}

async function requireNoLink(path: string): Promise<void> {
  const facts = await lstat(path).catch(missing);
  if (facts?.isSymbolicLink() === true) throw new Error(`${path} is a link, and authz follows none there.`);
}

/** Where a skill file came from. */
interface SkillOrigin {
  id: string;
  /** The authorization server; undefined in files that do not say. */
  source: string | undefined;
}

/** Reads from the front matter where a file came from; undefined when it is none of ours. */
function readOrigin(text: string): SkillOrigin | undefined {
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
