import type { ImageName } from "../image-tags/image-tags.js";

/** Everything a release would do, known before it happens. */
export interface PlannedRelease {
  readonly versions: readonly PlannedVersion[];
  readonly packages: readonly PlannedPackage[];
  readonly images: readonly PlannedImage[];
}

export interface PlannedVersion {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly type: string;
  /** The first line of each change that asks for it. */
  readonly changes: readonly string[];
}

/** What npm would publish. */
export interface PlannedPackage {
  readonly name: string;
  readonly version: string;
  readonly files: number;
  readonly bytes: number;
}

export interface PlannedImage {
  readonly image: ImageName;
  readonly tags: readonly string[];
}

/** What `npm run release:dry-run` prints. */
export function releaseReport(release: PlannedRelease): string {
  const { versions, packages, images } = release;
  if (versions.length === 0) {
    return "Nothing would be released: there is no changeset.\nWrite one with: npm run changeset\n";
  }
  const sections = [
    section("Versions and changelogs", versions.flatMap(versionLines)),
    section(
      "Published to npm, with provenance",
      aligned(
        packages.map(({ name, version, files, bytes }) => [name, version, `${files} files`, size(bytes)]),
      ),
    ),
    section(
      "Git tags",
      versions.map(({ name, to }) => `${name}@${to}`),
    ),
    section("Images, signed, with SBOM and provenance", images.flatMap(imageLines)),
  ];
  return `${sections.join("\n")}\nNothing was changed.\n`;
}

function versionLines({ name, from, to, type, changes }: PlannedVersion): string[] {
  const reasons = changes.length > 0 ? changes : ["A package it depends on has a new version."];
  return [`${name}  ${from} → ${to}  (${type})`, ...reasons.map((change) => `  ${change}`)];
}

function imageLines({ image, tags }: PlannedImage): string[] {
  return tags.map((tag) => `${image}:${tag}`);
}

function section(title: string, lines: readonly string[]): string {
  const content = lines.length > 0 ? lines : ["nothing"];
  return `${title}\n\n${content.map((line) => `  ${line}\n`).join("")}`;
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, column) => Math.max(cell.length, known[column] ?? 0)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function size(bytes: number): string {
  return `${(bytes / 1000).toFixed(0)} kB`;
}
