import { execFile } from "node:child_process";
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
});
afterAll(() => rmSync(copy, { recursive: true }));

async function inCopy(...command: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, command, { cwd: copy });
  return stdout;
}

test("a new area is 14 files, and what is written for it compiles, is the same in every language, and works", async () => {
  const written = (await inCopy("tools/new-area.mjs", "notices", "notice"))
    .split("\n")
    .filter((line) => line.startsWith("reference-server/"));
  expect(written.map((path) => basename(path)).sort()).toEqual([
    "0001_schema.sql",
    "area-catalogs.ts",
    "area.ts",
    "areas.ts",
    "events.ts",
    "notice.ts",
    "notices.json",
    "notices.json",
    "notices.test.ts",
    "notices.ts",
    "routes.ts",
    "schemas.ts",
    "screens.tsx",
    "store.ts",
  ]);
  await inCopy("node_modules/typescript/bin/tsc", "-b", "reference-server/web");
  const tests = [
    "reference-server/test/admin/notices",
    "reference-server/test/text",
    "reference-server/web/test",
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
