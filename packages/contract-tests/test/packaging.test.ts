import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PackedPackage, packPackages, publishedFolders, runTool } from "./packed/pack.js";

const folders = await publishedFolders();

describe("The published packages", () => {
  let directory = "";
  let packages: PackedPackage[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "authz-packaging-"));
    packages = await packPackages(directory, folders);
  }, 120_000);
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it("hold a README, sources, declarations and their maps, and no test", () => {
    const needed = ["README.md", "dist/index.js", "dist/index.d.ts", "dist/index.d.ts.map", "src/index.ts"];
    const lacking = packages.flatMap(({ name, files }) =>
      needed.filter((file) => !files.includes(file)).map((file) => `${name} lacks ${file}`),
    );
    expect(lacking).toEqual([]);
    const tests = packages.flatMap(({ files }) => files.filter((file) => /(^|\/)test\/|\.test\./.test(file)));
    expect(tests).toEqual([]);
  });

  it.each(folders)("pass publint and, as ES modules, Are the types wrong?: %s", async (folder) => {
    const tarball = packages[folders.indexOf(folder)]?.tarball ?? "";
    const checks = [
      runTool("publint", ["run", tarball, "--strict"]),
      runTool("attw", [tarball, "--profile", "esm-only"]),
    ];
    await expect(Promise.all(checks)).resolves.toHaveLength(2);
  });
});
