import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import getReleasePlan from "@changesets/get-release-plan";
import { imageNames } from "../image-tags/image-tags.js";
import { ReadableError } from "../readable-error.js";

/** One entry of `releases.json`. Paths are relative to the folder that it is in. */
export interface Release {
  readonly name: string;
  readonly version: string;
  readonly tag: string;
  /** What is published to npm; `null` for a package that is not for npm. */
  readonly tarball: string | null;
  /** Whether it is released as an image, beside npm or instead of it. */
  readonly image: boolean;
  /** The version's part of the changelog. */
  readonly notes: string;
}

interface Workspace {
  readonly name: string;
  readonly version: string;
  readonly location: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly private?: boolean;
}

/**
 * Writes what is to be published into a folder. A version is released when git has its tag, which is the last thing that a
 * release makes.
 *
 * @throws {ReadableError} There are changesets: their versions come first.
 */
export async function packReleases(repository: string, folder: string): Promise<readonly Release[]> {
  const { changesets } = await getReleasePlan(repository);
  if (changesets.length > 0)
    throw new ReadableError(
      "There are changesets. Merge the pull request that turns them into versions first.",
    );
  const waiting = readWorkspaces(repository).filter(
    (workspace) => isReleased(workspace) && !hasTag(repository, tagOf(workspace)),
  );
  mkdirSync(join(folder, "notes"), { recursive: true });
  const releases = inOrder(waiting).map((workspace) => {
    const { name, version, location } = workspace;
    const file = `${name.replace("@", "").replace("/", "-")}-${version}`;
    const notes = `notes/${file}.md`;
    writeFileSync(join(folder, notes), changesOf(join(repository, location, "CHANGELOG.md"), version));
    const tarball = workspace.private === true ? null : pack(repository, name, folder);
    return { name, version, tag: tagOf(workspace), tarball, image: hasImage(workspace), notes };
  });
  writeFileSync(join(folder, "releases.json"), `${JSON.stringify(releases, null, 2)}\n`);
  return releases;
}

function readWorkspaces(repository: string): readonly Workspace[] {
  return JSON.parse(npm(repository, "query", ".workspace")) as Workspace[];
}

/** For npm, or with an image of its own. */
function isReleased(workspace: Workspace): boolean {
  return workspace.private !== true || hasImage(workspace);
}

function hasImage({ name }: Workspace): boolean {
  return imageNames.some((image) => image === name);
}

function tagOf({ name, version }: Workspace): string {
  return `${name}@${version}`;
}

function hasTag(repository: string, tag: string): boolean {
  return git(repository, "tag", "--list", tag) !== "";
}

/** A package after those that it needs, so that what is on npm can always be installed. */
function inOrder(workspaces: readonly Workspace[]): readonly Workspace[] {
  const ordered: Workspace[] = [];
  const add = (workspace: Workspace): void => {
    if (ordered.includes(workspace)) return;
    for (const name of Object.keys(workspace.dependencies ?? {})) {
      const needed = workspaces.find((other) => other.name === name);
      if (needed !== undefined) add(needed);
    }
    ordered.push(workspace);
  };
  for (const workspace of workspaces) add(workspace);
  return ordered;
}

function changesOf(changelog: string, version: string): string {
  const text = existsSync(changelog) ? readFileSync(changelog, "utf8") : "";
  const section = text.split(/^## /m).find((part) => part.startsWith(`${version}\n`));
  return section === undefined ? "" : `${section.slice(version.length).trim()}\n`;
}

function pack(repository: string, name: string, folder: string): string {
  const packed = npm(repository, "pack", "--json", `--workspace=${name}`, `--pack-destination=${folder}`);
  const [result] = JSON.parse(packed) as { readonly filename: string }[];
  if (result === undefined) throw new Error(`npm packed nothing for ${name}.`);
  return result.filename;
}

function npm(repository: string, ...args: readonly string[]): string {
  return execFileSync("npm", [...args, "--loglevel=error"], {
    cwd: repository,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function git(repository: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: repository, encoding: "utf8" }).trim();
}
