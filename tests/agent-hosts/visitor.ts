import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { vi } from "vitest";

/** A person's browser, for programs that open one: it is started with an address, and writes that into a file. */
export interface Visitor {
  /** What a program's environment needs, so that it finds this browser and no other, and keeps nothing of whoever runs the test. */
  readonly env: Record<string, string>;
  /** The address that was opened since the last call. */
  opened(): Promise<URL>;
}

/** @param folder - an empty one, which is the program's home as well */
export function createVisitor(folder: string): Visitor {
  const commands = join(folder, "bin");
  const file = join(folder, "address");
  mkdirSync(commands);
  // Linux and macOS call theirs by these names.
  for (const name of ["xdg-open", "open"]) {
    const path = join(commands, name);
    writeFileSync(
      path,
      `#!/bin/sh\nfor last; do :; done\nprintf %s "$last" > ${file}.new && mv ${file}.new ${file}\n`,
    );
    chmodSync(path, 0o755);
  }
  return {
    env: {
      PATH: [commands, process.env["PATH"]].join(delimiter),
      BROWSER: join(commands, "open"),
      HOME: folder,
    },
    async opened() {
      await vi.waitUntil(() => existsSync(file), { timeout: 60_000, interval: 50 });
      const address = readFileSync(file, "utf8");
      rmSync(file);
      return new URL(address);
    },
  };
}
