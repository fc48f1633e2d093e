/** Printed database commands fail when `POSTGRES_URL` is not set; otherwise they would use the default database. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codeBlocks, listDocuments } from "./markdown.js";

const commands = listDocuments()
  .flatMap(codeBlocks)
  .filter(({ language }) => language === "sh")
  .flatMap(({ path, code }) =>
    code
      .replaceAll(/(?:\\|&&)\n\s*/g, (end) => (end.startsWith("&&") ? "&& " : ""))
      .split("\n")
      .filter((line) => /\$\{?POSTGRES_URL/.test(line))
      .map((line) => ({ path, line })),
  );

it("finds database commands in at least four pages", () => {
  expect(new Set(commands.map(({ path }) => path)).size).toBeGreaterThanOrEqual(4);
});

it.each(commands)("$path: $line", ({ line }) => {
  const folder = mkdtempSync(join(tmpdir(), "authz-docs-"));
  try {
    // PATH has no programs, so a command that reaches one reports "not found".
    const options = { cwd: folder, env: { PATH: folder }, encoding: "utf8" } as const;
    const { status, stderr } = spawnSync("/bin/sh", ["-c", line.replace("$(date +%F)", "today")], options);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/POSTGRES_URL: parameter (?:null or not set|not set or null)/);
    expect(stderr).not.toMatch(/not found/);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
