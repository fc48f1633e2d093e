import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { packReleases } from "../../src/release-artifacts/pack-releases.js";

let repository: string;
let out: string;

function write(path: string, content: unknown): void {
  mkdirSync(dirname(join(repository, path)), { recursive: true });
  writeFileSync(join(repository, path), typeof content === "string" ? content : JSON.stringify(content));
}

function git(...args: readonly string[]): void {
  const identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "tag.gpgSign=false"];
  execFileSync("git", [...identity, ...args], { cwd: repository });
}

beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), "authz-artifacts-test-"));
  out = join(repository, "..", `${repository.split("/").at(-1)}-out`);
  write("package.json", {
    name: "root",
    private: true,
    workspaces: ["adapter", "lib", "server", "proxy", "tool"],
  });
  write("adapter/package.json", {
    name: "@own/adapter",
    version: "2.1.0",
    dependencies: { "@own/lib": "1.1.0" },
  });
  write("adapter/CHANGELOG.md", "# @own/adapter\n\n## 2.1.0\n\n- Better.\n\n## 2.0.0\n\n- First.\n");
  write("lib/package.json", { name: "@own/lib", version: "1.1.0", files: ["a.js"] });
  write("lib/a.js", "export {};");
  write("server/package.json", { name: "authz-server", version: "1.2.0" });
  write("proxy/package.json", { name: "authz-discovery-proxy", version: "1.0.0", private: true });
  write("tool/package.json", { name: "tool", version: "9.0.0", private: true });
  write(".changeset/config.json", { baseBranch: "main" });
  execFileSync("npm", ["install", "--loglevel=error", "--offline"], { cwd: repository });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message=one", "--no-gpg-sign");
});

afterEach(() => {
  rmSync(repository, { recursive: true });
  rmSync(out, { recursive: true, force: true });
});

it("packs what has no tag yet, what is needed before what needs it", async () => {
  const releases = await packReleases(repository, out);
  expect(releases.map(({ tag, tarball, image }) => [tag, tarball, image])).toEqual([
    ["@own/lib@1.1.0", "own-lib-1.1.0.tgz", false],
    ["@own/adapter@2.1.0", "own-adapter-2.1.0.tgz", false],
    ["authz-discovery-proxy@1.0.0", null, true],
    ["authz-server@1.2.0", "authz-server-1.2.0.tgz", true],
  ]);
  expect(JSON.parse(readFileSync(join(out, "releases.json"), "utf8"))).toEqual(releases);
  const adapter = releases.find(({ name }) => name === "@own/adapter");
  expect(readFileSync(join(out, adapter?.notes ?? ""), "utf8")).toBe("- Better.\n");
  const listed = execFileSync("tar", ["-tzf", join(out, "own-lib-1.1.0.tgz")], { encoding: "utf8" });
  expect(listed.split("\n")).toContain("package/a.js");
});

it("leaves out what has its tag", async () => {
  git("tag", "@own/lib@1.1.0");
  git("tag", "authz-server@1.2.0");
  git("tag", "authz-discovery-proxy@1.0.0");
  const releases = await packReleases(repository, out);
  expect(releases.map(({ tag }) => tag)).toEqual(["@own/adapter@2.1.0"]);
});

it("refuses while changesets wait, because the versions are still the old ones", async () => {
  write(".changeset/one.md", '---\n"@own/lib": minor\n---\n\nMore.\n');
  await expect(packReleases(repository, out)).rejects.toThrow("There are changesets.");
});
