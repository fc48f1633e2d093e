import { ReadableError } from "../readable-error.js";
import { compareVersions, formatVersion, parseVersion, readVersion, type Version } from "./version.js";

/** The images, by the name of the package whose release they contain. */
export const imageNames = ["authz-server", "authz-discovery-proxy"] as const;
export type ImageName = (typeof imageNames)[number];

export interface ImageRelease {
  readonly image: ImageName;
  readonly version: Version;
}

/** What is to be published. */
export interface ImageToTag {
  readonly version: Version;
  /** 40 hexadecimal digits, the commit that the image is built from. */
  readonly commit: string;
  /** Every tag that the repository of this image has now. The other image's do not matter. */
  readonly existingTags: readonly string[];
}

/**
 * Reads a release tag, `<package>@X.Y.Z`.
 *
 * @throws {ReadableError} It is not one, or the package has no image.
 */
export function parseReleaseTag(tag: string): ImageRelease {
  const [name = "", ...rest] = tag.split("@");
  const image = imageNames.find((known) => known === name);
  if (image === undefined) {
    throw new ReadableError(`"${tag}" is not the release of an image. Expected: ${expectedTags()}.`);
  }
  return { image, version: parseVersion(rest.join("@")) };
}

/**
 * The tags that the image of a release gets, the full version first.
 *
 * `X.Y`, `X` and `latest` go only to the newest release of their line, major version, or of all.
 *
 * @throws {ReadableError} The full version exists already: it is never moved.
 */
export function imageTags({ version, commit, existingTags }: ImageToTag): string[] {
  const full = formatVersion(version);
  if (!/^[0-9a-f]{40}$/.test(commit)) {
    throw new ReadableError(`"${commit}" is not a commit. Expected: 40 hexadecimal digits in lower case.`);
  }
  if (existingTags.includes(full)) {
    throw new ReadableError(
      `${full} is published already, and a full version is never moved.\nRelease a new patch version instead.`,
    );
  }
  const released = existingTags.map(readVersion).filter((known) => known !== undefined);
  const isNewest = (among: (known: Version) => boolean) =>
    released.filter(among).every((known) => compareVersions(known, version) < 0);
  const { major, minor } = version;
  const moving = [
    { tag: `${major}.${minor}`, among: (known: Version) => known.major === major && known.minor === minor },
    { tag: `${major}`, among: (known: Version) => known.major === major },
    { tag: "latest", among: () => true },
  ];
  return [full, ...moving.filter(({ among }) => isNewest(among)).map(({ tag }) => tag), commit];
}

function expectedTags(): string {
  return imageNames.map((name) => `${name}@X.Y.Z`).join(" or ");
}
