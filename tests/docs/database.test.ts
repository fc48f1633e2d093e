/** The printed commands for the database stop when the shell does not know which: otherwise they would take another one. */
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

it("finds them", () => {
  expect(new Set(commands.map(({ path }) => path)).size).toBeGreaterThanOrEqual(4);
});

it.each(commands)("$path: $line", ({ line }) => {
  const folder = mkdtempSync(join(tmpdir(), "authz-docs-"));
  try {
    // Nothing can be found, so what came as far as a program would say so.
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
