import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { addEntry } from "../../src/commands/setup/add-entry.js";

const modes = vi.hoisted((): number[] => []);
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  return {
    ...real,
    // Notes what others may do with the file at this moment, and does what it is asked.
    async chmod(path: string, mode: number) {
      modes.push((await real.stat(path)).mode & 0o777);
      await real.chmod(path, mode);
    },
  };
});

it("shows nobody a file that only its owner may read, not even while it is written", async () => {
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
