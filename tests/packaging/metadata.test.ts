import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { publishedFolders, root } from "./pack.js";

const folders = await publishedFolders();
const origin = "https://github.com/authz/authz";

it("the server is published as well, for @authz/dev", () => {
  expect(folders).toContain("reference-server");
});

describe.each(folders)("What npm shows of %s", (folder) => {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Record<
    string,
    unknown
  >;

  it("says what it is for, and leads to its README, its source and its issues", () => {
    expect(String(manifest["description"])).toMatch(/^.{40,170}$/);
    expect(manifest["keywords"]).toEqual(expect.arrayContaining([expect.stringMatching(/^[a-z0-9-]+$/)]));
    expect((manifest["keywords"] as readonly string[]).length).toBeGreaterThanOrEqual(5);
    expect(manifest).toMatchObject({
      homepage: `${origin}/tree/main/${folder}#readme`,
      bugs: `${origin}/issues`,
      repository: { type: "git", url: `git+${origin}.git`, directory: folder },
      license: "Apache-2.0",
      engines: { node: ">=20.19" },
      publishConfig: { access: "public" },
    });
  });

  it("comes with its changes", () => {
    expect(manifest["files"]).toContain("CHANGELOG.md");
    expect(existsSync(join(root, folder, "LICENSE"))).toBe(true);
  });

  it("gives older compilers the types of every part", () => {
    const exported = Object.keys(manifest["exports"] ?? {});
    if (!exported.includes(".")) return;
    const parts = exported.map((name) => name.slice(2));
    const wanted = parts.filter((name) => name !== "" && name !== "package.json").sort();
    const versions = manifest["typesVersions"] as { "*": object } | undefined;
    expect(Object.keys(versions?.["*"] ?? {}).sort()).toEqual(wanted);
    expect(manifest["types"]).toBe("./dist/index.d.ts");
  });

  it("has a name that is ours", () => {
    expect(manifest["name"]).toMatch(/^(?:@authz\/[a-z-]+|authz-server)$/);
  });
});
