import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { imageTags, parseReleaseTag } from "../../src/image-tags/image-tags.js";
import { formatVersion, parseVersion, readVersion } from "../../src/image-tags/version.js";

const commit = "0123456789abcdef0123456789abcdef01234567";

function tagsOf(version: string, existingTags: readonly string[]): string[] {
  return imageTags({ version: parseVersion(version), commit, existingTags });
}

describe("imageTags", () => {
  it.each([
    ["the first release of all", "0.1.0", "", "0.1.0 0.1 0 latest"],
    ["a patch of the newest line", "1.2.4", "1.2.3 1.2 1 latest", "1.2.4 1.2 1 latest"],
    ["a new minor version", "1.3.0", "1.2.3 1.2.4", "1.3.0 1.3 1 latest"],
    ["a new major version", "2.0.0", "0.9.0 1.2.4", "2.0.0 2.0 2 latest"],
    [
      "a patch of an old line of the newest major version: not X, not latest",
      "1.2.5",
      "1.2.4 1.3.0",
      "1.2.5 1.2",
    ],
    [
      "a patch of the newest line of an old major version: X, not latest",
      "1.3.1",
      "1.3.0 2.0.0",
      "1.3.1 1.3 1",
    ],
    ["a patch of an old line of an old major version", "1.2.5", "1.2.4 1.3.0 2.0.0", "1.2.5 1.2"],
    ["a new old line", "1.4.0", "1.3.0 2.0.0", "1.4.0 1.4 1"],
    ["a minor version before 1.0: tag 0 moves like latest", "0.5.0", "0.4.9", "0.5.0 0.5 0 latest"],
    ["a patch before 1.0 after 1.0", "0.5.1", "0.5.0 1.0.0", "0.5.1 0.5 0"],
    ["a failed release, published after its successor", "1.2.3", "1.2.2 1.2.4", "1.2.3"],
    ["numbers, not texts: 1.10 is newer than 1.9", "1.10.0", "1.9.0 1.9.10", "1.10.0 1.10 1 latest"],
    ["1.9 is older than 1.10", "1.9.11", "1.9.10 1.10.0", "1.9.11 1.9"],
    [
      "a repository with other tags, which are no releases",
      "1.0.0",
      `latest 9 9.9 v9.9.9 9.9.9-rc.1 09.9.9 sha256-00.sig ${"9".repeat(40)} `,
      "1.0.0 1.0 1 latest",
    ],
    ["a failed release, published again: its commit moves", "1.0.1", `1.0.0 ${commit}`, "1.0.1 1.0 1 latest"],
  ])("tags %s: %s after %j as %s", (_name, version, existing, tags) => {
    expect(tagsOf(version, existing === "" ? [] : existing.split(" "))).toEqual([...tags.split(" "), commit]);
  });

  it.each([
    { name: "the newest release", version: "1.2.3", existing: ["1.2.3"] },
    { name: "an old release", version: "1.2.3", existing: ["1.2.3", "1.2.4", "2.0.0"] },
    { name: "the same release of the same commit", version: "1.2.3", existing: ["1.2.3", commit] },
  ])("refuses to move $name", ({ version, existing }) => {
    expect(() => tagsOf(version, existing)).toThrow("1.2.3 is published already");
  });

  it.each(["", "HEAD", "0123456", commit.toUpperCase(), `${commit}0`, `${commit}\n`])(
    "refuses the commit %j",
    (text) => {
      expect(() => imageTags({ version: parseVersion("1.0.0"), commit: text, existingTags: [] })).toThrow(
        "is not a commit",
      );
    },
  );

  it("keeps every tag where the specification wants it, in any order of releases", () => {
    const number = fc.nat(3);
    const releases = fc.uniqueArray(fc.tuple(number, number, number).map((parts) => parts.join(".")));
    fc.assert(
      fc.property(releases, (versions) => {
        const pointsTo = new Map<string, string>();
        for (const version of versions) {
          for (const tag of tagsOf(version, [...pointsTo.keys()])) pointsTo.set(tag, version);
        }
        const published = versions.toSorted(byVersion);
        for (const version of versions) {
          const [major, minor] = version.split(".");
          const newestOf = (prefix: string) => published.findLast((known) => known.startsWith(prefix));
          expect(pointsTo.get(version)).toBe(version);
          expect(pointsTo.get(`${major}.${minor}`)).toBe(newestOf(`${major}.${minor}.`));
          expect(pointsTo.get(major ?? "")).toBe(newestOf(`${major}.`));
          expect(pointsTo.get("latest")).toBe(newestOf(""));
        }
      }),
    );
  });
});

describe("parseReleaseTag", () => {
  it.each([
    ["authz-server@1.2.3", { image: "authz-server", version: { major: 1, minor: 2, patch: 3 } }],
    [
      "authz-discovery-proxy@0.10.0",
      { image: "authz-discovery-proxy", version: { major: 0, minor: 10, patch: 0 } },
    ],
  ])("reads %s", (tag, release) => {
    expect(parseReleaseTag(tag)).toEqual(release);
  });

  it.each([
    "",
    "1.2.3",
    "v1.2.3",
    "@1.2.3",
    "@authz/express@1.2.3",
    "authz-server-1.2.3",
    "AUTHZ-SERVER@1.2.3",
    " authz-server@1.2.3",
    "authz-servers@1.2.3",
  ])("refuses %j: it names no image", (tag) => {
    expect(() => parseReleaseTag(tag)).toThrow("is not the release of an image");
  });

  it.each([
    "authz-server",
    "authz-server@",
    "authz-server@1",
    "authz-server@1.2",
    "authz-server@1.2.3.4",
    "authz-server@v1.2.3",
    "authz-server@01.2.3",
    "authz-server@1.2.03",
    "authz-server@1.2.3-rc.1",
    "authz-server@1.2.3+build",
    "authz-server@1.2.3 ",
    "authz-server@1.2.3\n",
    "authz-server@1.2.x",
    "authz-server@-1.2.3",
    "authz-server@1e3.2.3",
    "authz-server@1.2.9999999999",
    "authz-server@latest",
    "authz-server@@1.2.3",
    "authz-server@1.2.3@1.2.3",
  ])("refuses %j: it names no version", (tag) => {
    expect(() => parseReleaseTag(tag)).toThrow("is not a version of a release");
  });
});

function byVersion(one: string, other: string): number {
  const [a, b] = [readVersion(one), readVersion(other)];
  if (a === undefined || b === undefined) throw new Error("not a version");
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}

it("formats what it parsed", () => {
  expect(formatVersion(parseVersion("10.0.7"))).toBe("10.0.7");
});
