import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { execFileSync, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { makeRunFolder } from "../../src/testing/run-folder.js";

describe("what tests leave behind", () => {
  it("is in the folder that the run removes", () => {
    expect(tmpdir()).toBe(inject("temporaryFolder"));
    const child = execFileSync(process.execPath, ["-p", "os.tmpdir()"], { encoding: "utf8" });
    expect(child.trim()).toBe(inject("temporaryFolder"));
  });

  it("is removed with that folder, of any kind", () => {
    const folder = makeRunFolder();
    mkdirSync(join(folder.path, "authz-cli-left", "deep"), { recursive: true });
    writeFileSync(join(folder.path, "authz-cli-left", "deep", "secret"), "x", { mode: 0o400 });
    folder.remove();
    expect(existsSync(folder.path)).toBe(false);
  });

  it("is nowhere else, because no test names another temporary folder", () => {
    const named = /(?:mkdtemp|mkdir|writeFile)(?:Sync)?\(\s*["'`]\//;
    const root = join(import.meta.dirname, "..", "..", "..");
    const { stdout } = spawnSync("git", ["ls-files", "*/test/*.ts"], { cwd: root, encoding: "utf8" });
    const elsewhere = stdout
      .split("\n")
      .filter((file) => file !== "" && existsSync(join(root, file)))
      .filter((file) => named.test(readFileSync(join(root, file), "utf8")));
    expect(elsewhere).toEqual([]);
  });
});
