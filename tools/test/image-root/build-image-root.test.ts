import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { buildImageRoot } from "../../src/image-root/build-image-root.js";

describe("buildImageRoot", () => {
  const folder = mkdtempSync(join(tmpdir(), "authz-image-root-test-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** A repository of one program and one dependency. */
  function createRepository(changes: { lockVersion?: string; built?: boolean } = {}): string {
    const root = mkdtempSync(join(folder, "repository-"));
    const write = (path: string, content: unknown) => {
      mkdirSync(join(root, path, ".."), { recursive: true });
      writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content));
    };
    write("package-lock.json", {
      packages: {
        app: { dependencies: { a: "1.0.0" } },
        "node_modules/a": { version: changes.lockVersion ?? "1.0.0" },
      },
    });
    write("app/package.json", { name: "app" });
    if (changes.built !== false) write("app/dist/main.js", "");
    write("app/dist/main.js.map", "");
    write("node_modules/a/package.json", { version: "1.0.0" });
    for (const file of ["index.js", "index.d.ts", "LICENSE.md", "README.md", "test/a.js", "lib/test/b.js"]) {
      write(`node_modules/a/${file}`, "");
    }
    write("node_modules/a/node_modules/unlisted/index.js", "");
    return root;
  }

  const image = { workspace: "app", files: ["package.json", "dist/main.js"] };

  it("copies packages without files that are never loaded", () => {
    const target = join(folder, "filtered");
    buildImageRoot({ repository: createRepository(), image, target });
    const files = readdirSync(join(target, "node_modules/a"), { recursive: true, encoding: "utf8" });
    expect(files.sort()).toEqual([
      "LICENSE.md",
      "index.js",
      "lib",
      "lib/test",
      "lib/test/b.js",
      "package.json",
    ]);
  });

  it.each([
    {
      name: "an installation that is not the lock file's",
      repositoryOf: () => createRepository({ lockVersion: "1.0.1" }),
      says: "the lock file asks for 1.0.1, installed is 1.0.0.",
    },
    {
      name: "a repository that is not built",
      repositoryOf: () => createRepository({ built: false }),
      says: "Build first: npx tsc -b",
    },
  ])("refuses $name", ({ repositoryOf, says }) => {
    const target = mkdtempSync(join(folder, "refused-"));
    expect(() => buildImageRoot({ repository: repositoryOf(), image, target })).toThrow(says);
  });

  it("refuses a folder with something in it", () => {
    expect(() =>
      buildImageRoot({ repository: createRepository(), image, target: import.meta.dirname }),
    ).toThrow("is not empty");
  });
});
