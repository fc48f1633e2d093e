import { spawn } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { keptCode } from "../../bin/kept-code.js";
import { authzProgram, buildCli, runProcess } from "../support/process.js";

let folder: string;
let file: string;
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "authz-kept-"));
  folder = join(root, "code");
  mkdirSync(folder, { mode: 0o700 });
  file = join(root, "program.cjs");
  writeFileSync(file, program("one"));
});

const program = (word: string): string =>
  [
    `exports.word = () => "${word}";`,
    'exports.part = () => require("./part.cjs").name;',
    'exports.imported = async () => [(await require.import("./part.cjs")).name, typeof (await require.import("node:os")).hostname];',
    "exports.folder = __dirname;",
  ].join("\n");

interface Program {
  word: () => string;
  part: () => string;
  imported: () => Promise<string[]>;
  folder: string;
}

/** One run of the program: what it says. */
function runOnce(place = { folder: folder as string | undefined, command: "request" }): string {
  const code = keptCode(place);
  const said = (code.load(file) as Program).word();
  code.keep();
  return said;
}

const kept = (): string =>
  join(folder, readdirSync(folder).find((name) => name.startsWith("request-")) ?? "");

describe("code that is kept for the next run", () => {
  it("is that of one command, and unreadable for others", () => {
    expect(runOnce()).toBe("one");
    expect(runOnce({ folder, command: "status" })).toBe("one");
    expect(
      readdirSync(folder)
        .map((name) => name.replace(/-[\da-f]{16}$/, ""))
        .sort(),
    ).toEqual(["request-program", "status-program"]);
    expect(lstatSync(kept()).mode & 0o077).toBe(0);
  });

  it("grows over three runs, and then is only read", () => {
    const contents = [1, 2, 3, 4, 5].map(() => {
      expect(runOnce()).toBe("one");
      return readFileSync(kept());
    });
    expect(contents[0]?.equals(contents[1] as Buffer)).toBe(false);
    expect(contents[1]?.equals(contents[2] as Buffer)).toBe(false);
    expect(contents[2]?.equals(contents[4] as Buffer)).toBe(true);
  });

  it("is not used for a program that has changed, even to one of the same length", () => {
    for (let run = 0; run < 4; run += 1) runOnce();
    writeFileSync(file, program("two"));
    expect([runOnce(), runOnce()]).toEqual(["two", "two"]);
  });

  const damages: { name: string; damage: (whole: Buffer) => Buffer }[] = [
    { name: "is empty", damage: () => Buffer.alloc(0) },
    { name: "was cut off", damage: (whole) => whole.subarray(0, whole.length - 100) },
    { name: "was cut off in its head", damage: (whole) => whole.subarray(0, 20) },
    { name: "has another byte", damage: (whole) => Buffer.from(whole).fill(0xff, 200, 201) },
    { name: "says that it is from another run", damage: (whole) => Buffer.from(whole).fill(9, 32, 33) },
  ];
  it.each(damages)("is made anew when it $name", ({ damage }) => {
    for (let run = 0; run < 3; run += 1) runOnce();
    const damaged = damage(readFileSync(kept()));
    writeFileSync(kept(), damaged);
    expect(runOnce()).toBe("one");
    expect(readFileSync(kept()).equals(damaged)).toBe(false);
    expect(runOnce()).toBe("one");
  });

  it("leaves when nothing has written it for a month", () => {
    const old = join(folder, "request-program-0000000000000000");
    const recent = join(folder, "status-program-0000000000000000");
    for (const path of [old, recent]) writeFileSync(path, "");
    const seconds = Date.now() / 1000;
    utimesSync(old, seconds, seconds - 31 * 24 * 3600);
    utimesSync(recent, seconds, seconds - 29 * 24 * 3600);
    runOnce();
    expect([existsSync(old), existsSync(recent)]).toEqual([false, true]);
  });

  it("is not needed where it cannot be kept", () => {
    rmSync(folder, { recursive: true });
    expect(runOnce()).toBe("one");
    expect(runOnce({ folder: undefined, command: "request" })).toBe("one");
    expect(existsSync(folder)).toBe(false);
  });

  it("may have parts beside it, and import", async () => {
    writeFileSync(join(folder, "..", "part.cjs"), 'module.exports = { name: "a part" };');
    for (let run = 0; run < 3; run += 1) {
      const code = keptCode({ folder, command: "request" });
      const loaded = code.load(file) as Program;
      expect([loaded.part(), loaded.folder, code.load(file)]).toEqual(["a part", join(folder, ".."), loaded]);
      expect(await loaded.imported()).toEqual(["a part", "function"]);
      code.keep();
    }
    expect(readdirSync(folder)).toHaveLength(2);
  });
});

describe.skipIf(process.platform === "win32")("the command", () => {
  beforeAll(() => buildCli());

  const run = async (env: Record<string, string>, ...words: string[]): Promise<string[]> => {
    const home = join(folder, "..");
    await runProcess(process.execPath, [authzProgram, ...words], {
      env: { HOME: home, PATH: process.env.PATH ?? "", ...env },
    });
    const place = join(home, ".cache", "authz", "code");
    return existsSync(place) ? readdirSync(place).map((name) => name.replace(/-[\da-f]{16}$/, "")) : [];
  };

  it("keeps the code of what went well, and of nothing else", async () => {
    expect(await run({}, "nothing")).toEqual([]);
    expect(await run({}, "request", "https://service.example.com")).toEqual([]);
    expect(await run({}, "--version")).toEqual(["other-authz"]);
    expect(await run({}, "config")).toEqual(["config-authz", "other-authz"]);
  });

  it("keeps none when Node is told to keep none", async () => {
    expect(await run({ NODE_DISABLE_COMPILE_CACHE: "1" }, "--version")).toEqual([]);
  });

  it("keeps that of a command that has not ended", async () => {
    const home = join(folder, "..");
    const env = { HOME: home, PATH: process.env.PATH ?? "" };
    const place = join(home, ".cache", "authz", "code");
    // Its time is over at once: the rest of the three seconds would only be waited for.
    const quick = join(home, "quick-timers.cjs");
    writeFileSync(quick, "const wait = setTimeout; setTimeout = (run, ms) => wait(run, ms / 100);");
    const args = ["--require", quick, authzProgram, "mcp"];
    const child = spawn(process.execPath, args, { env, stdio: ["pipe", "ignore", "ignore"] });
    await expect.poll(() => existsSync(place) && readdirSync(place).length, { timeout: 20_000 }).toBe(2);
    child.kill("SIGKILL");
  });
});
