import { chmod, mkdir, mkdtemp, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { fileStore, readPrivateFile } from "../../src/index.js";
import { expectFailure } from "../support/expect-error.js";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "authz-store-"));
  path = join(folder, "state", "session.json");
});

describe.skipIf(process.platform === "win32")("a file store", () => {
  it("keeps one text in a file of mode 0600 in a folder of mode 0700", async () => {
    const store = fileStore(path);
    expect(await store.read()).toBeUndefined();
    await store.write("one");
    await store.write("two");
    expect(await fileStore(path).read()).toBe("two");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, "state"))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(folder, "state"))).toEqual(["session.json"]);
    await store.remove();
    await store.remove();
    expect(await store.read()).toBeUndefined();
  });

  for (const mode of [0o644, 0o640, 0o604, 0o660, 0o622]) {
    it(`refuses a file of mode ${mode.toString(8)}`, async () => {
      const store = fileStore(path);
      await store.write("secret");
      await chmod(path, mode);
      const error = await expectFailure(store.read(), "store_unsafe");
      expect([error.reason, error.facts.path]).toEqual(["file_readable_by_others", path]);
      await store.write("new");
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    });
  }

  it("takes the write access of others from its folder", async () => {
    await mkdir(join(folder, "state"), { mode: 0o777 });
    await chmod(join(folder, "state"), 0o777);
    await fileStore(path).write("secret");
    expect((await stat(join(folder, "state"))).mode & 0o777).toBe(0o700);
  });

  it("replaces a link instead of writing through it", async () => {
    await mkdir(join(folder, "state"), { mode: 0o700 });
    const elsewhere = join(folder, "elsewhere");
    await writeFile(elsewhere, "untouched");
    await symlink(elsewhere, path);
    await fileStore(path).write("secret");
    expect(await readFile(elsewhere, "utf8")).toBe("untouched");
  });

  it("says so when the folder cannot be made", async () => {
    await writeFile(join(folder, "state"), "a file where the folder should be");
    await expectFailure(fileStore(path).write("secret"), "store_unavailable");
    const error = await expectFailure(fileStore(path).read(), "store_unavailable");
    expect(error.message).toContain(path);
  });

  it("reads settings that others can read, but not those that others can change", async () => {
    const settings = join(folder, "config.json");
    await writeFile(settings, "{}", { mode: 0o644 });
    expect(await readPrivateFile(settings, { readableByOthers: true })).toBe("{}");
    await chmod(settings, 0o664);
    await expectFailure(readPrivateFile(settings, { readableByOthers: true }), "store_unsafe");
  });
});
