import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliWorld, type CommandResult, startCliWorld, visitAddress } from "./support/cli-world.js";
import { authzProgram, buildCli, runProcess } from "./support/process.js";

const packageFolder = join(dirname(authzProgram), "..");

describe("the package as it is published", () => {
  let world: CliWorld;
  let installed: string;

  beforeAll(async () => {
    buildCli();
    world = await startCliWorld();
    const folder = mkdtempSync(join(tmpdir(), "authz-packed-"));
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
    const [packed] = JSON.parse(execFileSync("npm", args, { cwd: packageFolder, encoding: "utf8" })) as [
      { filename: string },
    ];
    installed = join(folder, "node_modules", "@authz", "cli");
    mkdirSync(installed, { recursive: true });
    execFileSync("tar", ["-xzf", join(folder, packed.filename), "-C", installed, "--strip-components=1"]);
  });
  afterAll(async () => await world.close());

  const authz = async (args: readonly string[], onOutput?: (text: string) => void): Promise<CommandResult> =>
    await runProcess(process.execPath, [join(installed, "bin", "authz.js"), ...args], {
      env: { ...world.env, AUTHZ_TOKEN_STORE: "file" },
      ...(onOutput === undefined ? {} : { onOutput }),
    });

  it("signs in and calls a service from its bundle alone, with nothing installed beside it", async () => {
    const login = await authz(["login", "--no-browser", "--issuer", world.server.origin], visitAddress());
    expect(login).toMatchObject({ code: 0 });
    const request = await authz(["request", "--scope", "contracts:read", world.api]);
    expect([request.code, request.stderr]).toEqual([0, ""]);
  });

  it("loads no part of Node that a warm request does without", async () => {
    const list = join(installed, "loaded.txt");
    const probe = join(installed, "probe.cjs");
    writeFileSync(
      probe,
      `process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(list)}, process.moduleLoadList.join("\\n")));`,
    );
    const args = ["--require", probe, join(installed, "bin", "authz.js")];
    const request = await runProcess(
      process.execPath,
      [...args, "request", "--scope", "contracts:read", world.api],
      { env: world.env },
    );
    expect([request.code, request.stderr]).toEqual([0, ""]);
    const loaded = readFileSync(list, "utf8").split("\n");
    expect(loaded).toContain("NativeModule http");
    const spared = ["child_process", "fs/promises", "perf_hooks", "https"];
    for (const name of [...spared, "internal/deps/undici/undici", "internal/crypto/webcrypto"])
      expect(loaded).not.toContain(`NativeModule ${name}`);
  });

  it("says in one line that an old Node is too old, with a file that the oldest can read", async () => {
    const old = join(installed, "old.cjs");
    writeFileSync(
      old,
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } });',
    );
    const bin = join(installed, "bin", "authz.js");
    expect(
      await runProcess(process.execPath, ["--require", old, bin, "--version"], { env: world.env }),
    ).toEqual({
      code: 1,
      stdout: "",
      stderr: "authz needs Node 20.19 or newer, and this is Node 18.20.8. Get one: https://nodejs.org\n",
    });
    await expect(transform(readFileSync(bin, "utf8"), { target: "es5" })).resolves.toBeDefined();
  });

  it("knows its version", async () => {
    const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
      version: string;
    };
    expect(await authz(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it("brings the licences of what is in the bundle", () => {
    const bundle = join(installed, "dist", "bundle");
    const text = readFileSync(join(bundle, "LICENSES.txt"), "utf8");
    for (const name of ["commander", "oauth4webapi"]) expect(text).toMatch(new RegExp(`^${name} \\d`, "m"));
    expect(readdirSync(bundle)).toEqual(expect.arrayContaining(["authz.cjs", "check-update.cjs"]));
  });
});
