import { spawnSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { mkdir, mkdtemp, readdir, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { withFileLock } from "../../src/stores/file-lock.js";

let path: string;
beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), "authz-lock-")), "state", "session.lock");
  await mkdir(dirname(path), { mode: 0o700 });
});

function thisHost(): string {
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** The id of a process that has just ended. */
function deadProcess(): number {
  return spawnSync(process.execPath, ["-e", "0"]).pid;
}

describe("a file lock", () => {
  it("lets one at a time in and leaves nothing behind", async () => {
    let inside = 0;
    let most = 0;
    let total = 0;
    await Promise.all(
      Array.from({ length: 30 }, async () => {
        await withFileLock(path, async () => {
          inside += 1;
          most = Math.max(most, inside);
          const before = total;
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
          total = before + 1;
          inside -= 1;
        });
      }),
    );
    expect([most, total]).toEqual([1, 30]);
    expect(await readdir(dirname(path))).toEqual([]);
  });

  it("is given back when the work fails", async () => {
    await expect(withFileLock(path, async () => await Promise.reject(new Error("broken")))).rejects.toThrow(
      "broken",
    );
    expect(await withFileLock(path, async () => "free")).toBe("free");
  });

  it("of a process that died is taken over by exactly one at a time", async () => {
    await writeFile(path, JSON.stringify({ id: "dead", pid: deadProcess(), host: thisHost() }));
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 10 }, async () => {
        await withFileLock(path, async () => {
          inside += 1;
          most = Math.max(most, inside);
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
          inside -= 1;
        });
      }),
    );
    expect(most).toBe(1);
    expect(await readdir(dirname(path))).toEqual([]);
  });

  it("of another host is taken over when it has been silent for half a minute", async () => {
    await writeFile(path, JSON.stringify({ id: "far", pid: 1, host: "another host" }));
    const longAgo = new Date(Date.now() - 31_000);
    await utimes(path, longAgo, longAgo);
    expect(await withFileLock(path, async () => "taken")).toBe("taken");
  });

  it("that was created and never filled is taken over when it is old", async () => {
    await writeFile(path, "");
    const longAgo = new Date(Date.now() - 31_000);
    await utimes(path, longAgo, longAgo);
    expect(await withFileLock(path, async () => "taken")).toBe("taken");
  });

  it("survives one that died while taking over", async () => {
    await writeFile(path, JSON.stringify({ id: "dead", pid: deadProcess(), host: thisHost() }));
    await writeFile(`${path}.steal`, "dead too");
    const longAgo = new Date(Date.now() - 11_000);
    await utimes(`${path}.steal`, longAgo, longAgo);
    expect(await withFileLock(path, async () => "taken")).toBe("taken");
    expect(await readdir(dirname(path))).toEqual([]);
  });
});
