import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { root } from "../../tests/architecture/read-workspace.js";
import { packagesOnlyOf } from "../console-packages.mjs";

/** Stands in for npm: notes how it was called, empties the folder as `npm ci` does, "installs" a compiler that notes the same, and lists it. */
const fakeNpm = `
const fs = require("node:fs");
fs.appendFileSync("calls", "npm " + process.argv.slice(2).join(" ") + "\\n");
fs.rmSync("node_modules", { recursive: true, force: true });
if (fs.existsSync("npm-fails")) { console.error("npm error code E404"); process.exit(1); }
if (fs.existsSync("npm-interrupted")) { process.kill(process.ppid, "SIGINT"); process.kill(process.pid, "SIGINT"); }
fs.mkdirSync("node_modules/typescript/bin", { recursive: true });
const packages = process.argv.includes("--omit=dev") ? {} : { "node_modules/typescript": { dev: true } };
fs.writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages }, undefined, 2));
fs.writeFileSync("node_modules/typescript/bin/tsc", \`
const fs = require("node:fs");
fs.appendFileSync("calls", "tsc " + process.argv.slice(2).join(" ") + "\\\\n");
if (fs.existsSync("tsc-fails")) { console.log("a.ts(1,1): error TS1000: No."); process.exit(2); }
\`);
`;

describe("bootstrap", () => {
  let clone: string;

  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), "authz-bootstrap-"));
    for (const file of ["tools/bootstrap.mjs", "tools/progress.mjs", "packages/dev/progress.mjs"]) {
      mkdirSync(dirname(join(clone, file)), { recursive: true });
      cpSync(join(root, file), join(clone, file));
    }
    mkdirSync(join(clone, "packages/one/src"), { recursive: true });
    mkdirSync(join(clone, "examples"));
    writeFileSync(join(clone, "package-lock.json"), "{}");
    writeFileSync(join(clone, "npm-cli.js"), fakeNpm);
    writeFileSync(
      join(clone, "run.mjs"),
      'import { bootstrap } from "./tools/bootstrap.mjs"; await bootstrap(process.argv[2]); console.log("ready");',
    );
  });

  afterEach(() => {
    rmSync(clone, { recursive: true });
  });

  function run(...args: readonly string[]): Promise<{ stdout: string; stderr: string; calls: string }> {
    const env = { PATH: process.env["PATH"], npm_execpath: join(clone, "npm-cli.js") };
    rmSync(join(clone, "calls"), { force: true });
    return new Promise((resolve) => {
      execFile(process.execPath, ["run.mjs", ...args], { cwd: clone, env }, (_, stdout, stderr) => {
        const file = join(clone, "calls");
        resolve({ stdout, stderr, calls: existsSync(file) ? readFileSync(file, "utf8") : "" });
      });
    });
  }

  test("installs and compiles a bare clone, telling so on stderr only", async () => {
    const { stdout, stderr, calls } = await run();
    expect(stdout).toBe("ready\n");
    expect(stderr).toMatch(/Installing packages[^]*✓ Installing packages[^]*✓ Compiling/);
    expect(calls).toMatch(/^npm ci --loglevel=error .*\ntsc -b tsconfig.build.json --pretty false\n$/);
  });

  test("installs again when the lock file changed, and only then", async () => {
    await run();
    expect((await run()).calls).toBe("tsc -b tsconfig.build.json --pretty false\n");
    writeFileSync(join(clone, "package-lock.json"), '{ "changed": true }');
    expect((await run()).calls).toContain("npm ci");
  });

  test("installs what runs, once, and everything when a command needs more", async () => {
    writeFileSync(
      join(clone, "run.mjs"),
      'import { ensureInstalled } from "./tools/bootstrap.mjs"; await ensureInstalled(process.argv[2]);',
    );
    expect((await run("running")).calls).toMatch(/^npm ci --loglevel=error --omit=dev .*\n$/);
    expect((await run("running")).calls).toBe("");
    expect((await run("everything")).calls).toMatch(/^npm ci --loglevel=error --include=dev .*\n$/);
    expect((await run("running")).calls).toBe("");
  });

  describe("where everything is installed, and only what runs is needed", () => {
    const installsEverything = /^npm ci --loglevel=error --include=dev .*\n$/;
    const onlyInstall =
      'import { ensureInstalled } from "./tools/bootstrap.mjs"; await ensureInstalled(process.argv[2]);';

    beforeEach(async () => {
      writeFileSync(join(clone, "run.mjs"), onlyInstall);
      await run("everything");
      writeFileSync(join(clone, "package-lock.json"), '{ "pulled": true }');
    });

    test("keeps everything when the lock file changed", async () => {
      expect((await run("running")).calls).toMatch(installsEverything);
      expect((await run("everything")).calls).toBe("");
    });

    test("keeps what was installed by hand", async () => {
      rmSync(join(clone, "node_modules/.authz-installed"));
      const longAgo = new Date(0);
      utimesSync(join(clone, "node_modules/.package-lock.json"), longAgo, longAgo);
      expect((await run("running")).calls).toMatch(installsEverything);
    });

    test.each(["npm-fails", "npm-interrupted"])("keeps everything after %s", async (marker) => {
      writeFileSync(join(clone, marker), "");
      expect((await run("running")).calls).toMatch(installsEverything);
      expect((await run("running")).calls).toMatch(installsEverything);
      rmSync(join(clone, marker));
      expect((await run("running")).calls).toMatch(installsEverything);
      expect((await run("everything")).calls).toBe("");
    });

    test("installs less again where the rest was removed", async () => {
      writeFileSync(join(clone, "node_modules/.package-lock.json"), '{ "packages": {} }');
      writeFileSync(join(clone, "package-lock.json"), '{ "pulled": "again" }');
      const soon = new Date(Date.now() + 60_000);
      utimesSync(join(clone, "package-lock.json"), soon, soon);
      expect((await run("running")).calls).toMatch(/ --omit=dev /);
    });
  });

  test("ends without a word when it is interrupted", async () => {
    writeFileSync(join(clone, "npm-interrupted"), "");
    const { stdout, stderr } = await run();
    expect(stdout).toBe("");
    expect(stderr).not.toContain("npm ci failed");
  });

  describe("after the console was built", () => {
    beforeEach(() => {
      cpSync(join(root, "tools/console-packages.mjs"), join(clone, "tools/console-packages.mjs"));
      writeFileSync(join(clone, "tools/transpile.mjs"), "export function transpile() {}");
      const builder =
        'import { mkdirSync } from "node:fs"; mkdirSync("reference-server/web/dist", { recursive: true });';
      mkdirSync(join(clone, "reference-server/web"), { recursive: true });
      writeFileSync(join(clone, "reference-server/web/build.mjs"), builder);
      const packages = {
        "reference-server/web": { dependencies: { vite: "1" } },
        "node_modules/vite": {},
      };
      writeFileSync(join(clone, "package-lock.json"), JSON.stringify({ packages }));
      writeFileSync(join(clone, "npm-cli.js"), `${fakeNpm} fs.mkdirSync("node_modules/vite");`);
    });

    test("removes what only it was built from", async () => {
      expect((await run("running")).stdout).toBe("ready\n");
      expect(existsSync(join(clone, "node_modules/vite"))).toBe(false);
    });

    test("removes nothing after a full installation by hand", async () => {
      await run("running");
      mkdirSync(join(clone, "node_modules/vite"));
      const list = { packages: { "node_modules/typescript": { dev: true } } };
      writeFileSync(join(clone, "node_modules/.package-lock.json"), JSON.stringify(list, undefined, 2));
      writeFileSync(join(clone, "reference-server/web/screen.tsx"), "changed");
      expect((await run("running")).stdout).toBe("ready\n");
      expect(existsSync(join(clone, "node_modules/vite"))).toBe(true);
    });
  });

  test("installs again when an installation did not finish", async () => {
    mkdirSync(join(clone, "node_modules"));
    expect((await run()).calls).toContain("npm ci");
  });

  test("accepts an installation by hand that is newer than the lock file", async () => {
    await run();
    rmSync(join(clone, "node_modules/.authz-installed"));
    writeFileSync(join(clone, "node_modules/.package-lock.json"), "{}");
    expect((await run()).calls).not.toContain("npm ci");
  });

  test("compiles again what lost its output", async () => {
    const record = join(clone, "packages/one/tsconfig.tsbuildinfo");
    writeFileSync(record, "{}");
    await run();
    expect(existsSync(record)).toBe(false);
  });

  test.each([
    {
      name: "the installation",
      marker: "npm-fails",
      words: /npm ci failed:[^]*E404[^]*Check the connection/,
    },
    { name: "the compiler", marker: "tsc-fails", words: /do not compile[^]*error TS1000/ },
  ])("says what failed: $name", async ({ marker, words }) => {
    writeFileSync(join(clone, marker), "");
    const { stdout, stderr } = await run();
    expect(stdout).toBe("");
    expect(stderr).toMatch(words);
  });
});

describe("what only the console is built from", () => {
  test("is what nothing else depends on, wherever npm has put it", () => {
    const packages = {
      "": { devDependencies: { builder: "1" } },
      "reference-server": { dependencies: { both: "1" } },
      "reference-server/web": { dependencies: { both: "1", screens: "1", links: "1" } },
      "reference-server/web/node_modules/links": { dependencies: { below: "1" } },
      "node_modules/links": {},
      tools: { dependencies: { "authz-server": "0", links: "1" } },
      "node_modules/authz-server": { link: true, resolved: "reference-server" },
      "node_modules/both": {},
      "node_modules/screens": { peerDependencies: { below: "1" }, optionalDependencies: { absent: "1" } },
      "node_modules/below": {},
      "node_modules/builder": {},
    };
    expect(packagesOnlyOf(packages, "reference-server/web").sort()).toEqual([
      "node_modules/below",
      "node_modules/screens",
      "reference-server/web/node_modules/links",
    ]);
  });

  test("is never what the system runs from", () => {
    const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
      packages: Parameters<typeof packagesOnlyOf>[0];
    };
    const only = packagesOnlyOf(packages, "reference-server/web");
    expect(only).toEqual(expect.arrayContaining(["node_modules/react", "node_modules/vite"]));
    for (const name of ["fastify", "pg", "esbuild", "oidc-provider", "intl-messageformat", "zod"]) {
      expect(only).not.toContain(`node_modules/${name}`);
    }
  });
});
