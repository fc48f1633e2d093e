import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PackedPackage, packPackages, publishedFolders, root, run, runTool } from "./pack.js";

const command = "packages/cli";

/** The server and the command are programs: nothing imports them. */
const folders = (await publishedFolders()).filter(
  (folder) => folder !== "reference-server" && folder !== command,
);

describe("The published packages", () => {
  let directory = "";
  let packages: PackedPackage[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "authz-packaging-"));
    packages = await packPackages(directory, folders);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it("hold a licence, a README, sources, declarations and their maps, and no test", () => {
    const needed = [
      "LICENSE",
      "README.md",
      "dist/index.js",
      "dist/index.d.ts",
      "dist/index.d.ts.map",
      "src/index.ts",
    ];
    const lacking = packages.flatMap(({ name, files }) =>
      needed.filter((file) => !files.includes(file)).map((file) => `${name} lacks ${file}`),
    );
    expect(lacking).toEqual([]);
    const tests = packages.flatMap(({ files }) => files.filter((file) => /(^|\/)test\/|\.test\./.test(file)));
    expect(tests).toEqual([]);
  });

  it("hold of the command what runs it, and neither its sources nor its parts", async () => {
    await run(process.execPath, ["bundle.mjs"], join(root, command));
    const [packed] = await packPackages(directory, [command]);
    expect(packed?.files.toSorted()).toEqual([
      "LICENSE",
      "README.md",
      "bin/authz.js",
      "bin/check-update.js",
      "bin/package.json",
      "dist/bundle/LICENSES.txt",
      "dist/bundle/authz.cjs",
      "dist/bundle/check-update.cjs",
      "dist/bundle/mcp-sdk.cjs",
      "dist/bundle/oauth4webapi.cjs",
      "dist/bundle/run.cjs",
      "package.json",
    ]);
    await expect(runTool("publint", ["run", packed?.tarball ?? "", "--strict"])).resolves.toBeDefined();
  });

  it.each([...folders, command])("carry the licence of the repository: %s", async (folder) => {
    const licence = await readFile(join(root, folder, "LICENSE"), "utf8");
    expect(licence).toBe(await readFile(join(root, "LICENSE"), "utf8"));
  });

  it("are compiled and tidied before they are packed, so no file of an older build gets in", async () => {
    const scratch = join(directory, "scratch");
    await mkdir(join(scratch, "src"), { recursive: true });
    await mkdir(join(scratch, "dist/gone"), { recursive: true });
    await writeFile(join(scratch, "dist/gone.js"), "");
    await writeFile(join(scratch, "dist/gone/gone.d.ts.map"), "");
    await writeFile(join(scratch, "src/index.ts"), "export const answer: number = 42;\n");
    const options = { composite: true, rootDir: "src", outDir: "dist", types: [] };
    await writeFile(
      join(scratch, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, include: ["src"] }),
    );
    await run(process.execPath, [join(root, "tools/prepack.mjs")], scratch);
    const files = await readdir(join(scratch, "dist"), { recursive: true });
    expect(files.sort()).toEqual(["gone", "index.d.ts", "index.js"]);
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
