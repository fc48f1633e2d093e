import fileSystem, { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { addEntry } from "../../src/commands/setup/add-entry.js";

const realChmod = fileSystem.chmod;
let modes: number[];

beforeEach(() => {
  modes = [];
  // Notes what others may do with the file at this moment, and does what it is asked.
  fileSystem.chmod = async (path, mode) => {
    modes.push((await stat(path)).mode & 0o777);
    await realChmod(path, mode);
  };
  syncBuiltinESMExports();
});

afterEach(() => {
  fileSystem.chmod = realChmod;
  syncBuiltinESMExports();
});

it("keeps a private file private, also while it is written", async () => {
  const home = await mkdtemp(join(tmpdir(), "authz-home-"));
  try {
    const path = join(home, "config.json");
    await writeFile(path, '{ "token": "secret" }');
    await chmod(path, 0o600);
    modes.length = 0;
    const entry = { url: "https://authz.example.com/mcp" };
    const file = { path: "~/config.json", format: "json", at: ["mcpServers", "authz"], entry } as const;
    await addEntry(file, { home, project: home });
    expect(modes).toEqual([0o600]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
