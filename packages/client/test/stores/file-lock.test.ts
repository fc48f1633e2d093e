import { spawnSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { mkdir, mkdtemp, readdir, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { withFileLock, withLentFileLock } from "../../src/stores/file-lock.js";

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
  it("says which file cannot be used where none can be made", async () => {
    await writeFile(join(dirname(path), "file"), "");
    const below = join(dirname(path), "file", "session.lock");
    await expect(withFileLock(below, async () => undefined)).rejects.toMatchObject({
      code: "store_unavailable",
      message: `${below} cannot be used. There is already something else with this name.`,
    });
  });

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

  it("of a living process is not taken over as long as its heartbeat is not silent for half a minute", async () => {
    const owner = holding(async (run) => await withFileLock(path, run));
    await owner.begun;
    const before = new Date(Date.now() - 25_000);
    await utimes(path, before, before);
    const next = holding(async (run) => await withFileLock(path, run));
    await pause(200);
    expect(next.hasBegun()).toBe(false);
    owner.end();
    await next.begun;
    next.end();
    await Promise.all([owner.over, next.over]);
  });
});

describe("a lent file lock", () => {
  const lent = async (run: () => Promise<void>): Promise<void> =>
    await withLentFileLock(path, { loanSeconds: 0.2, run });

  it("admits one at a time while none takes too long", async () => {
    const first = holding(async (run) => await withLentFileLock(path, { loanSeconds: 30, run }));
    await first.begun;
    const second = holding(async (run) => await withLentFileLock(path, { loanSeconds: 30, run }));
    await pause(200);
    expect(second.hasBegun()).toBe(false);
    first.end();
    await second.begun;
    second.end();
    await second.over;
    expect(await readdir(dirname(path))).toEqual([]);
  });

  it("is the next one's when its owner takes too long, and stays that one's when the owner ends", async () => {
    const slow = holding(lent);
    await slow.begun;
    const next = holding(lent);
    await next.begun;
    const taken = await readdir(dirname(path));
    slow.end();
    await slow.over;
    expect(await readdir(dirname(path))).toEqual(taken);
    next.end();
    await next.over;
    expect(await readdir(dirname(path))).toEqual([]);
  });

  it("never blocks for ever, even with a wrong time of its file", async () => {
    await writeFile(path, JSON.stringify({ id: "far", pid: 1, host: "another host" }));
    const later = new Date(Date.now() + 3_600_000);
    await utimes(path, later, later);
    const next = holding(lent);
    await next.begun;
    next.end();
    await next.over;
    expect(await readdir(dirname(path))).toEqual(["session.lock"]);
  });
});

/** Something that runs with a lock until it is told to end. */
function holding(withLock: (run: () => Promise<void>) => Promise<void>) {
  let begin = (): void => undefined;
  let end = (): void => undefined;
  let hasBegun = false;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const over = withLock(async () => {
    hasBegun = true;
    begin();
    await ended;
  });
  return { begun, over, end: () => end(), hasBegun: () => hasBegun };
}
