import { execFileSync } from "node:child_process";
import getReleasePlan from "@changesets/get-release-plan";
import { imageNames, imageTags } from "../image-tags/image-tags.js";
import { parseVersion } from "../image-tags/version.js";
import type { PlannedImage, PlannedPackage, PlannedRelease, PlannedVersion } from "./release-report.js";

/** Reads the changesets and asks npm and git what the release would consist of. Changes nothing. */
export async function planRelease(repository: string): Promise<PlannedRelease> {
  const versions = await planVersions(repository);
  return { versions, packages: packed(repository, versions), images: planImages(repository, versions) };
}

/** What the changesets ask for, and what gets a version because it contains some of that; by name. */
export async function planVersions(repository: string): Promise<readonly PlannedVersion[]> {
  const { releases, changesets } = await getReleasePlan(repository);
  const summaries = new Map(changesets.map(({ id, summary }) => [id, summary.split("\n", 1)[0] ?? ""]));
  return releases
    .filter(({ type }) => type !== "none")
    .map(({ name, oldVersion, newVersion, type, changesets: ids }) => ({
      name,
      from: oldVersion,
      to: newVersion,
      type,
      changes: ids.map((id) => summaries.get(id) ?? id),
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

interface PackResult {
  readonly name: string;
  readonly size: number;
  readonly files: readonly unknown[];
}

/** What npm would put into each tarball. Private packages are not for npm. */
function packed(repository: string, versions: readonly PlannedVersion[]): PlannedPackage[] {
  const published = versions.filter(({ name }) => name.startsWith("@"));
  if (published.length === 0) return [];
  const names = published.map(({ name }) => `--workspace=${name}`);
  const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--loglevel=error", ...names], {
    cwd: repository,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const results = JSON.parse(output) as PackResult[];
  return published.map(({ name, to }) => {
    const { files, size } = results.find((result) => result.name === name) ?? { files: [], size: 0 };
    return { name, version: to, files: files.length, bytes: size };
  });
}

/** The tags of each image, as if every release that git knows had one. The workflow asks the registry instead. */
function planImages(repository: string, versions: readonly PlannedVersion[]): PlannedImage[] {
  return imageNames.flatMap((image) => {
    const release = versions.find(({ name }) => name === image);
    if (release === undefined) return [];
    const existingTags = git(repository, "tag", "--list", `${image}@*`)
      .split("\n")
      .map((tag) => tag.slice(image.length + 1));
    const commit = git(repository, "rev-parse", "HEAD");
    return [{ image, tags: imageTags({ version: parseVersion(release.to), commit, existingTags }) }];
  });
}

function git(repository: string, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: repository, encoding: "utf8" }).trim();
}
