import { mkdtemp, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { makeFolder } from "../../src/index.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "authz-folder-"));
});

describe("making a folder", () => {
  it("makes the ones above it as well, with the same mode, and is content with one that is there", async () => {
    const path = join(folder, "a", "b", "c");
    await makeFolder(path, 0o700);
    await makeFolder(path);
    for (const made of [path, join(folder, "a"), join(folder, "a", "b")]) {
      const { mode } = await stat(made);
      expect(process.platform === "win32" ? 0o700 : mode & 0o777).toBe(0o700);
    }
  });

  it("is done by many at once", async () => {
    const path = join(folder, "a", "b");
    await Promise.all(Array.from({ length: 8 }, async () => await makeFolder(path)));
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it("goes through a link to a folder", async () => {
    await symlink(folder, join(folder, "link"), "junction");
    await makeFolder(join(folder, "link", "a"));
    expect((await stat(join(folder, "a"))).isDirectory()).toBe(true);
  });

  it("fails where a file is in the way", async () => {
    const file = join(folder, "file");
    await writeFile(file, "");
    await expect(makeFolder(file)).rejects.toMatchObject({ code: "EEXIST" });
    await expect(makeFolder(join(file, "a"))).rejects.toThrow(/ENOTDIR|ENOENT|EEXIST/);
  });

  it.runIf(process.platform === "linux")("fails at once where the system makes no folder", async () => {
    await expect(makeFolder("/proc/nope/a/b")).rejects.toMatchObject({ code: "ENOENT" });
  });
});
