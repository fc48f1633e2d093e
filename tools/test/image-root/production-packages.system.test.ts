import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { images } from "../../src/image-root/images.js";
import { type LockPackages, productionPackages } from "../../src/image-root/production-packages.js";
import { root as repository } from "../../../tests/architecture/read-workspace.js";

const lock: LockPackages = {
  "": { version: "0.0.0" },
  app: { dependencies: { "@own/lib": "1", a: "1" } },
  "libs/lib": { dependencies: { a: "2" }, peerDependencies: { peer: "1", unwanted: "1" } },
  "libs/lib/node_modules/a": { version: "2.0.0" },
  "libs/other": { dependencies: { z: "1" } },
  "node_modules/@own/lib": { resolved: "libs/lib", link: true },
  "node_modules/a": { version: "1.0.0", dependencies: { b: "1" }, optionalDependencies: { missing: "1" } },
  "node_modules/a/node_modules/b": { version: "1.1.0", dependencies: { a: "1" } },
  "node_modules/b": { version: "2.2.0" },
  "node_modules/peer": { version: "3.0.0" },
  "node_modules/unwanted": { version: "4.0.0" },
  "node_modules/z": { version: "1.0.0" },
};

function withEntry(path: string, changes: LockPackages[string]): LockPackages {
  return { ...lock, [path]: { ...lock[path], ...changes } };
}

describe("productionPackages", () => {
  it("follows dependencies as Node would look them up, and links into this repository", () => {
    const optional = withEntry("libs/lib", { peerDependenciesMeta: { unwanted: { optional: true } } });
    expect(productionPackages(optional, "app")).toEqual({
      workspaces: ["app", "libs/lib"],
      links: new Map([["node_modules/@own/lib", "libs/lib"]]),
      installed: new Map([
        ["libs/lib/node_modules/a", "2.0.0"],
        ["node_modules/peer", "3.0.0"],
        ["node_modules/a", "1.0.0"],
        ["node_modules/a/node_modules/b", "1.1.0"],
      ]),
    });
  });

  it.each([
    {
      name: "a dependency that the lock file does not know",
      changed: withEntry("app", { dependencies: { x: "1" } }),
      says: "package-lock.json does not know x, which app needs.",
    },
    {
      name: "a package for one operating system",
      changed: withEntry("node_modules/a", { os: ["linux"] }),
      says: "node_modules/a has to be built for its platform",
    },
    {
      name: "a package for one processor",
      changed: withEntry("node_modules/a", { cpu: ["x64"] }),
      says: "node_modules/a has to be built for its platform",
    },
    {
      name: "a package that builds itself when it is installed",
      changed: withEntry("node_modules/a", { hasInstallScript: true }),
      says: "node_modules/a has to be built for its platform",
    },
  ])("refuses $name", ({ changed, says }) => {
    expect(() => productionPackages(changed, "app")).toThrow(says);
  });

  it.each(Object.entries(images))("finds for the %s what npm finds", (_name, { workspace }) => {
    const { packages } = JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8")) as {
      packages: LockPackages;
    };
    const manifest = JSON.parse(readFileSync(join(repository, workspace, "package.json"), "utf8")) as {
      name: string;
    };
    const { links, installed } = productionPackages(packages, workspace);
    const listed = execFileSync(
      "npm",
      ["ls", "--omit=dev", "--all", "--parseable", "--loglevel=error", "-w", manifest.name],
      { cwd: repository, encoding: "utf8" },
    );
    const paths = listed
      .trim()
      .split("\n")
      .map((path) => relative(repository, path))
      .filter((path) => path !== "");
    const found = [`node_modules/${manifest.name}`, ...links.keys(), ...installed.keys()];
    expect(found.toSorted()).toEqual(paths.toSorted());
  });
});
