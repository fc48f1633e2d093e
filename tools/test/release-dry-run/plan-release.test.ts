import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { planRelease } from "../../src/release-dry-run/plan-release.js";
import { releaseReport } from "../../src/release-dry-run/release-report.js";

let repository: string;

function write(path: string, content: unknown): void {
  mkdirSync(dirname(join(repository, path)), { recursive: true });
  writeFileSync(join(repository, path), typeof content === "string" ? content : JSON.stringify(content));
}

function git(...args: readonly string[]): string {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "tag.gpgSign=false"];
  return execFileSync("git", [...identity, ...args], { cwd: repository, encoding: "utf8" }).trim();
}

beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), "authz-release-test-"));
  write("package.json", { name: "root", private: true, workspaces: ["lib", "server", "proxy"] });
  write("package-lock.json", { name: "root", lockfileVersion: 3, packages: {} });
  write("lib/package.json", { name: "@own/lib", version: "1.0.0", files: ["a.js"] });
  write("lib/a.js", "export {};");
  write("lib/b.js", "not published");
  write("server/package.json", {
    name: "authz-server",
    version: "1.2.0",
    private: true,
    dependencies: { "@own/lib": "1.0.0" },
  });
  write("proxy/package.json", { name: "authz-discovery-proxy", version: "0.3.0", private: true });
  write(".changeset/config.json", {
    baseBranch: "main",
    privatePackages: { version: true, tag: true },
    updateInternalDependencies: "patch",
  });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message=one", "--no-gpg-sign");
});

afterEach(() => rmSync(repository, { recursive: true }));

describe("planRelease", () => {
  it("follows a change to everything that depends on it, and to nothing else", async () => {
    write(".changeset/one.md", '---\n"@own/lib": minor\n---\n\nA new function.\nIt does more.\n');
    for (const tag of ["authz-server@1.2.0", "authz-server@2.0.0", "authz-discovery-proxy@0.3.0"]) {
      git("tag", tag);
    }
    const { versions, packages, images } = await planRelease(repository);
    expect(versions).toEqual([
      { name: "@own/lib", from: "1.0.0", to: "1.1.0", type: "minor", changes: ["A new function."] },
      { name: "authz-server", from: "1.2.0", to: "1.2.1", type: "patch", changes: [] },
    ]);
    expect(packages).toEqual([
      { name: "@own/lib", version: "1.1.0", files: 2, bytes: expect.any(Number) as number },
    ]);
    // A patch of an old major version: not latest.
    expect(images).toEqual([
      { image: "authz-server", tags: ["1.2.1", "1.2", "1", git("rev-parse", "HEAD")] },
    ]);
  });

  it("releases an image on its own: a release of one never changes the other", async () => {
    write(".changeset/two.md", '---\n"authz-discovery-proxy": patch\n---\n\nA correction.\n');
    const { versions, packages, images } = await planRelease(repository);
    expect(versions.map(({ name, to }) => `${name}@${to}`)).toEqual(["authz-discovery-proxy@0.3.1"]);
    expect(packages).toEqual([]);
    expect(images.map(({ image }) => image)).toEqual(["authz-discovery-proxy"]);
  });

  it("changes nothing", async () => {
    write(".changeset/one.md", '---\n"@own/lib": minor\n---\n\nA new function.\n');
    git("add", ".");
    await planRelease(repository);
    expect(git("status", "--porcelain")).toBe("A  .changeset/one.md");
    expect(readFileSync(join(repository, "lib/package.json"), "utf8")).toContain('"1.0.0"');
  });
});

describe("releaseReport", () => {
  it("says that there is nothing to release", async () => {
    expect(releaseReport(await planRelease(repository))).toMatchInlineSnapshot(`
      "Nothing would be released: there is no changeset.
      Write one with: npm run changeset
      "
    `);
  });

  it("lists versions, packages, tags and images", () => {
    const report = releaseReport({
      versions: [
        { name: "@own/lib", from: "1.0.0", to: "1.1.0", type: "minor", changes: ["A new function."] },
        { name: "authz-server", from: "1.2.0", to: "1.2.1", type: "patch", changes: [] },
      ],
      packages: [{ name: "@own/lib", version: "1.1.0", files: 12, bytes: 34_567 }],
      images: [{ image: "authz-server", tags: ["1.2.1", "1.2"] }],
    });
    expect(report).toMatchInlineSnapshot(`
      "Versions and changelogs

        @own/lib  1.0.0 → 1.1.0  (minor)
          A new function.
        authz-server  1.2.0 → 1.2.1  (patch)
          A package it depends on has a new version.

      Published to npm, with provenance

        @own/lib  1.1.0  12 files  35 kB

      Git tags

        @own/lib@1.1.0
        authz-server@1.2.1

      Images, signed, with SBOM and provenance

        authz-server:1.2.1
        authz-server:1.2

      Nothing was changed.
      "
    `);
  });
});
