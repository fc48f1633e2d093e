import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../architecture/read-workspace.js";

interface Entry {
  readonly version?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  packages: Readonly<Record<string, Entry>>;
};

/** Looks a package up the way Node does: beside the one that asks, then further out. */
function isListed(from: string, name: string): boolean {
  const inner = from === "" ? "" : `${from}/`;
  if (`${inner}node_modules/${name}` in packages) {
    return true;
  }
  return from !== "" && isListed(from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/"))), name);
}

describe("package-lock.json", () => {
  // npm ci of npm 11 refuses a lock file without them, and npm 10 then never installs them on another platform.
  test("lists the packages of every platform, not only of the one it was written on", () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !isListed(path, name))
        .map((name) => `${path} -> ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

test("the repository overrides no package: an override does not reach people who install ours", () => {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as object;
  expect(manifest).not.toHaveProperty("overrides");
});
