import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
})
  .toString()
  .split("\0")
  .filter((path) => /\.(md|ya?ml|tsx?|mjs|tpl|txt|service)$/.test(path) && !path.includes("/test/"));

test("nobody is told to run a program of a package that we do not publish", () => {
  // Whoever publishes a package under such a name decides what runs.
  const told = files.flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return [...text.matchAll(/\bnpx (?:--?[\w-]+ )*authz\b[\w-]*/g)].map(
      ([command]) => `${path}: ${command}`,
    );
  });
  expect(told).toEqual([]);
});
