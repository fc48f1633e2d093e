import { ReadableError } from "../readable-error.js";

/** X.Y.Z, nothing else. */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

const pattern = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/;

/**
 * @throws {ReadableError} The text is not X.Y.Z.
 */
export function parseVersion(text: string): Version {
  const version = readVersion(text);
  if (version === undefined) {
    throw new ReadableError(
      `"${text}" is not a version of a release. Expected: X.Y.Z, three numbers without leading zeros.`,
    );
  }
  return version;
}

/** The version that a tag of a registry names in full, if it does. */
export function readVersion(text: string): Version | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [major = 0, minor = 0, patch = 0] = match.slice(1).map(Number);
  return { major, minor, patch };
}

export function formatVersion({ major, minor, patch }: Version): string {
  return `${major}.${minor}.${patch}`;
}

/** Negative when `one` is older. */
export function compareVersions(one: Version, other: Version): number {
  return one.major - other.major || one.minor - other.minor || one.patch - other.patch;
}
