/** `authz-dev` in a repository that another person wrote, with everything in it that such a repository could try. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findFreePort } from "../src/network/ports.js";

const program = new URL("../bin/authz-dev.js", import.meta.url).pathname;
let home: string;
let repository: string;
let started: ChildProcess | undefined;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "authz-foreign-"));
  repository = join(home, "repository");
  mkdirSync(repository);
});

afterEach(async () => {
  if (started?.exitCode === null) {
    const ended = once(started, "exit");
    started.kill("SIGTERM");
    await ended;
  }
  rmSync(home, { recursive: true, force: true });
});

function ship(path: string, content: string, mode = 0o644): void {
  mkdirSync(join(repository, path, ".."), { recursive: true });
  writeFileSync(join(repository, path), content);
  chmodSync(join(repository, path), mode);
}

function everythingIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true }).map(String).toSorted();
}

test("follows no link, starts no program and writes no file of the repository that it is started in", async () => {
  const ran = join(home, "ran");
  writeFileSync(join(home, ".bashrc"), "alias ll='ls -l'\n");
  mkdirSync(join(repository, ".authz-dev/logs"), { recursive: true });
  for (const name of ["server", "postgres", "dev-idp", "registration"])
    symlinkSync("../../../.bashrc", join(repository, ".authz-dev/logs", `${name}.log`));
  ship(".authz-dev/secrets.json", "{}");
  ship(".authz-dev/postgres/PG_VERSION", "16\n");
  ship(".authz-dev/postgres/postgresql.conf", `restore_command = 'touch ${ran}'\n`);
  ship(".authz-dev/postgres/recovery.signal", "");
  for (const name of ["sh", "cat", "locale", "node", "ps", "initdb", "postgres"])
    ship(`node_modules/.bin/${name}`, `#!/bin/sh\ntouch ${ran}\n`, 0o755);
  const before = everythingIn(repository);

  const [server, idp, postgres] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const ports = ["--port", server, "--idp-port", idp, "--postgres-port", postgres].map(String);
  const child = spawn(process.execPath, [program, ...ports], {
    cwd: repository,
    // npx puts the programs of the working folder in front.
    env: { HOME: home, PATH: `${join(repository, "node_modules/.bin")}:${process.env["PATH"] ?? ""}` },
  });
  started = child;
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  await vi.waitUntil(
    () => {
      if (child.exitCode !== null) throw new Error(printed);
      return printed.includes("Ctrl-C stops everything.");
    },
    { timeout: 240_000, interval: 100 },
  );

  expect(existsSync(ran)).toBe(false);
  expect(readFileSync(join(home, ".bashrc"), "utf8")).toBe("alias ll='ls -l'\n");
  expect(everythingIn(repository)).toEqual(before);
  const [, place = ""] = /Logs and data are in\s+(.+)\n/.exec(printed) ?? [];
  expect(place.startsWith(home)).toBe(true);
  expect(readdirSync(place)).toContain("secrets.json");
});
