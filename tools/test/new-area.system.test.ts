import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
let copy: string;

/** The repository as it is here, with what is installed and built: only what changes is compiled again. */
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "authz-new-area-"));
  const installed = join(root, "node_modules");
  const left = new Set([join(root, ".git"), installed]);
  cpSync(root, copy, { recursive: true, filter: (path) => !left.has(path) });
  symlinkSync(installed, join(copy, "node_modules"));
  // Tests ask git for the sources.
  execFileSync("git", ["init", "--quiet"], { cwd: copy });
  execFileSync("git", ["add", "reference-server/src"], { cwd: copy });
});
afterAll(() => rmSync(copy, { recursive: true }));

async function inCopy(...command: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, command, { cwd: copy });
  return stdout;
}

test("a new area is nine files that pass every check as they are generated", async () => {
  const written = (await inCopy("tools/new-area.mjs", "notices", "notice"))
    .split("\n")
    .filter((line) => line.startsWith("reference-server/"));
  expect(written.map((path) => basename(path)).sort()).toEqual([
    "0001_schema.sql",
    "area.ts",
    "areas.ts",
    "notice.ts",
    "notices.json",
    "notices.json",
    "routes.ts",
    "screens.tsx",
    "store.ts",
  ]);
  await inCopy("node_modules/typescript/bin/tsc", "-b", "reference-server", "reference-server/web");
  const code = written.filter((path) => /\.(?:tsx?|json)$/.test(path));
  await inCopy("node_modules/@biomejs/biome/bin/biome", "format", ...code);
  await inCopy("node_modules/oxlint/bin/oxlint", ...code.filter((path) => !path.endsWith(".json")));
  const tests = [
    "reference-server/test/admin/door/every-object",
    "reference-server/test/admin/documentation",
    "reference-server/test/audit/describe-event",
    "reference-server/test/text",
    "reference-server/web/test",
    "tests/architecture",
    "tests/docs/reference",
  ];
  expect(await inCopy("node_modules/vitest/vitest.mjs", "run", "--project", "tests", ...tests)).toMatch(
    /passed/,
  );
});

test("an area that is there already stays as it is", async () => {
  await expect(inCopy("tools/new-area.mjs", "scopes", "scope")).rejects.toMatchObject({
    stderr: "There are files of scopes already.\n",
  });
});
