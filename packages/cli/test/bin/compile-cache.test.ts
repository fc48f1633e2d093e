import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { compileCacheFolder } from "../../bin/compile-cache.js";
import { authzProgram, buildCli, runProcess } from "../support/process.js";

const uid = process.getuid?.() ?? -1;
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "authz-code-"));
});

const find = (env: Record<string, string> = {}, owner = uid): string | undefined =>
  compileCacheFolder({ env, platform: "linux", home, uid: owner });

describe.skipIf(process.platform === "win32")("the folder for compiled code", () => {
  it("is below the caches of this user, and closed to others", () => {
    const folder = join(home, ".cache", "authz", "code");
    expect(find()).toBe(folder);
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
    expect(find()).toBe(folder);
    const elsewhere = join(home, "elsewhere");
    expect(find({ XDG_CACHE_HOME: elsewhere })).toBe(join(elsewhere, "authz", "code"));
    expect(compileCacheFolder({ env: {}, platform: "win32", home, uid: undefined })).toBeUndefined();
  });

  it("may be below a link that is the user's own", () => {
    mkdirSync(join(home, "scratch"), { mode: 0o700 });
    symlinkSync(join(home, "scratch"), join(home, ".cache"));
    expect(find()).toBe(join(home, "scratch", "authz", "code"));
  });

  const unsafe: { name: string; prepare: () => Record<string, string> | void; owner?: number }[] = [
    {
      name: "is a link",
      prepare: () => {
        mkdirSync(join(home, ".cache", "authz"), { recursive: true, mode: 0o700 });
        mkdirSync(join(home, "planted"), { mode: 0o700 });
        symlinkSync(join(home, "planted"), join(home, ".cache", "authz", "code"));
      },
    },
    {
      name: "is below a link that takes the place of ours",
      prepare: () => {
        mkdirSync(join(home, ".cache"), { mode: 0o700 });
        mkdirSync(join(home, "planted"), { mode: 0o700 });
        symlinkSync(join(home, "planted"), join(home, ".cache", "authz"));
      },
    },
    { name: "can be read by others", prepare: () => make("code", 0o755) },
    { name: "can be changed by others", prepare: () => make("code", 0o777) },
    { name: "is in a folder of ours that others can change", prepare: () => make("authz", 0o775) },
    { name: "is in a home that others can change", prepare: () => chmodSync(home, 0o777) },
    { name: "belongs to another user", prepare: () => void find(), owner: uid + 1 },
    { name: "is named by a relative path", prepare: () => ({ XDG_CACHE_HOME: "cache" }) },
    { name: "cannot be made", prepare: () => ({ XDG_CACHE_HOME: "/proc/nope" }) },
    {
      name: "would need a home that is not there",
      prepare: () => ({ XDG_CACHE_HOME: join(home, "a", "b") }),
    },
  ];
  it.each(unsafe)("is not used when it $name", ({ prepare, owner }) => {
    expect(find(prepare() ?? {}, owner)).toBeUndefined();
    expect(existsSync(join(home, "planted")) ? readdirSync(join(home, "planted")) : []).toEqual([]);
  });

  function make(which: "authz" | "code", mode: number): void {
    const folder = find() ?? "";
    chmodSync(which === "code" ? folder : join(folder, ".."), mode);
  }
});

describe.skipIf(process.platform === "win32")("the command", () => {
  beforeAll(() => buildCli());

  const run = async (temporary: string): Promise<void> => {
    const env = { HOME: home, TMPDIR: temporary, PATH: process.env.PATH ?? "" };
    expect(await runProcess(process.execPath, [authzProgram, "--version"], { env })).toMatchObject({
      code: 0,
    });
  };

  it("keeps compiled code in that folder, and leaves alone what was planted in a folder that all can write to", async () => {
    const temporary = mkdtempSync(join(tmpdir(), "authz-shared-"));
    const planted = join(temporary, "node-compile-cache");
    mkdirSync(planted, { mode: 0o777 });
    await run(temporary);
    expect(readdirSync(planted)).toEqual([]);
    expect(readdirSync(join(home, ".cache", "authz", "code"))).not.toEqual([]);
  });

  it("keeps none where the folder was planted", async () => {
    const temporary = mkdtempSync(join(tmpdir(), "authz-shared-"));
    const planted = join(home, "planted");
    mkdirSync(planted, { mode: 0o777 });
    mkdirSync(join(home, ".cache", "authz"), { recursive: true, mode: 0o700 });
    symlinkSync(planted, join(home, ".cache", "authz", "code"));
    await run(temporary);
    expect([readdirSync(planted), readdirSync(temporary)]).toEqual([[], []]);
  });
});
