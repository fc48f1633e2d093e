import { chmod, mkdtemp, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type ClientCache, fileCache, memoryCache } from "../../src/index.js";
import { type TestClock, testClock } from "../support/test-world.js";

let path: string;
let clock: TestClock;
beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), "authz-cache-")), "cache", "metadata.json");
  clock = testClock();
});

const kinds: [string, () => ClientCache][] = [
  ["memory", () => memoryCache(clock)],
  ["a file", () => fileCache(path, clock)],
];

for (const [name, create] of kinds) {
  describe(`a cache in ${name}`, () => {
    it("gives a value back until it is no longer fresh", async () => {
      const cache = create();
      await cache.write("a", { list: [1] }, clock() + 60_000);
      await cache.write("b", "other", clock() + 1_000_000);
      expect(await cache.read("a")).toEqual({ list: [1] });
      expect(await cache.read("c")).toBeUndefined();
      clock.advance(60);
      expect(await cache.read("a")).toBeUndefined();
      expect(await cache.read("b")).toBe("other");
      await cache.clear();
      expect(await cache.read("b")).toBeUndefined();
    });
  });
}

describe.skipIf(process.platform === "win32")("a cache file", () => {
  it("is read by the next process and by no other user", async () => {
    await fileCache(path, clock).write("a", 1, clock() + 1000);
    expect(await fileCache(path, clock).read("a")).toBe(1);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("counts as empty when others could have changed it, or it is damaged", async () => {
    await fileCache(path, clock).write("a", 1, clock() + 1000);
    await chmod(path, 0o666);
    expect(await fileCache(path, clock).read("a")).toBeUndefined();
    for (const text of ["", "[]", '{"a":1}', '{"a":{"value":1}}']) {
      await writeFile(path, text);
      await chmod(path, 0o600);
      expect(await fileCache(path, clock).read("a")).toBeUndefined();
    }
  });
});
