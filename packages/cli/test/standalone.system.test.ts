import { execFileSync } from "node:child_process";
import {
  chownSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readForm } from "../../../reference-server/test/support/browser.js";
import { createBrowser, signIn } from "../../../reference-server/test/support/device.js";
import { type OauthServer, startOauthServer } from "../../../reference-server/test/support/oauth-server.js";
import { type CliWorld, type CommandResult, startCliWorld, visitAddress } from "./support/cli-world.js";
import { authzProgram, type ProcessOptions, runProcess } from "./support/process.js";

const packageFolder = join(dirname(authzProgram), "..");
/** Root does not count: the permissions are about other users. */
const uid = process.getuid?.() === 0 ? 65534 : undefined;

let program: string;
let home: string;
let nothing: string;
beforeAll(() => {
  execFileSync(process.execPath, [join(packageFolder, "standalone.mjs")]);
  const folder = mkdtempSync(join(tmpdir(), "authz-standalone-"));
  program = join(folder, "authz");
  copyFileSync(join(packageFolder, "dist", "program", "authz"), program);
  nothing = join(folder, "nothing");
  mkdirSync(nothing);
  execFileSync("chmod", ["755", folder]);
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "authz-home-"));
  if (uid !== undefined) chownSync(home, uid, uid);
});

/** Runs the program where there is no Node, no package and no configuration. */
async function authz(
  args: readonly string[],
  { env, ...options }: Partial<ProcessOptions> = {},
): Promise<CommandResult> {
  return await runProcess(program, args, { env: { HOME: home, PATH: nothing, ...env }, uid, ...options });
}

const inFile = { env: { AUTHZ_TOKEN_STORE: "file" } };

describe("the standalone program by itself", () => {
  it("knows its version, its help, its hosts and its completion", async () => {
    const { version } = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8")) as {
      version: string;
    };
    expect(await authz(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    expect(await authz(["help", "request"])).toMatchObject({ code: 0, stderr: "" });
    expect((await authz(["completion", "bash"])).stdout).toContain("complete ");
    expect((await authz(["setup", "codex", "--local"])).stdout).toContain("codex mcp add authz -- authz mcp");
  });

  it("loads the keyring's module from a place that is this user's alone, and repairs it", async () => {
    const login = async (): Promise<string> =>
      (await authz(["login", "--no-browser", "--issuer", "https://authz.example.com"])).stderr;
    // No desktop session: what answers is the module, not the lack of it.
    const words = "The keyring says: This terminal belongs to no desktop session";
    expect(await login()).toContain(words);
    const folder = join(home, ".cache", "authz", "native");
    const [name = "", ...others] = readdirSync(folder);
    expect([name, others]).toEqual([expect.stringMatching(/^[0-9a-f]{64}-keyring\.node$/), []]);
    expect(lstatSync(folder).mode & 0o077).toBe(0);
    const module = readFileSync(join(folder, name));
    execFileSync("chmod", ["600", join(folder, name)]);
    writeFileSync(join(folder, name), "not a module");
    expect(await login()).toContain(words);
    expect(readFileSync(join(folder, name)).equals(module)).toBe(true);
  });

  it("runs no module from a place that others can change, and offers a file instead", async () => {
    mkdirSync(join(home, ".cache"));
    execFileSync("chmod", ["777", join(home, ".cache")]);
    const { code, stderr } = await authz(["login", "--no-browser", "--issuer", "https://authz.example.com"]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("the folder for caches can be changed by others"),
    ]);
    expect(stderr).toContain("AUTHZ_TOKEN_STORE=file");
  });

  it("asks the registry for a newer version by itself", async () => {
    const asked: string[] = [];
    const registry = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end('{ "latest": "9.8.7" }');
    });
    await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
    const { port } = registry.address() as AddressInfo;
    const env = { npm_config_registry: `http://127.0.0.1:${String(port)}` };
    expect(await authz(["__check-update"], { env })).toEqual({ code: 0, stdout: "", stderr: "" });
    registry.close();
    expect(asked).toEqual(["/-/package/@authz%2fcli/dist-tags"]);
    expect(readFileSync(join(home, ".cache", "authz", "update.json"), "utf8")).toContain("9.8.7");
  });

  it("brings the licences of what is inside", () => {
    const text = readFileSync(join(packageFolder, "dist", "program", "LICENSES.txt"), "utf8");
    for (const name of ["commander", "oauth4webapi", "jq-wasm", "open", "@napi-rs/keyring"])
      expect(text).toMatch(new RegExp(`^${name} \\d`, "m"));
    expect(text).toContain(`Node.js ${process.version}`);
  });
});

describe("the standalone program with a service", () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await startCliWorld();
    world.server.skills.push({
      id: "contracts.list",
      title: "List contracts",
      tags: [],
      requiredScopes: ["contracts:read"],
      allowed: true,
      resource: "contracts",
      content: "# List contracts",
    });
  });
  afterAll(async () => await world.close());
  beforeEach(async () => {
    const login = ["login", "--no-browser", "--issuer", world.server.origin];
    await authz(login, { ...inFile, onOutput: visitAddress() });
  });

  it("finds a skill, reads it, calls the service and filters its answer", async () => {
    expect((await authz(["skills", "find", "contract"])).stdout).toContain("contracts.list");
    expect((await authz(["skills", "show", "contracts.list"])).stdout).toContain("# List contracts");
    const request = ["request", "--scope", "contracts:read", world.api];
    const answer = await authz(request);
    expect([answer.code, answer.stderr]).toEqual([0, ""]);
    expect(await authz([...request, "--jq", "keys | length"])).toMatchObject({
      code: 0,
      stdout: `${String(Object.keys(JSON.parse(answer.stdout) as object).length)}\n`,
    });
  });

  it("serves an agent over MCP", async () => {
    const host = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    };
    const stdin = [
      { id: 1, method: "initialize", params: host },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: { name: "find_skills", arguments: { query: "contract" } } },
    ]
      .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
      .join("");
    const { code, stdout, stderr } = await authz(["mcp"], { stdin });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain('"serverInfo"');
    expect(stdout).toContain("contracts.list");
  });
});

describe("the standalone program with a real authorization server", () => {
  let system: OauthServer;
  beforeAll(async () => {
    system = await startOauthServer();
  });
  afterAll(() => system.close());

  it("signs in as a person does, and says who that is", async () => {
    const browser = createBrowser();
    let visited = false;
    const visit = async (address: string): Promise<void> => {
      const consent = await signIn(browser, address, "ada");
      const { url } = await browser.submit(readForm(consent), { decision: "allow" });
      await fetch(url);
    };
    const login = await authz(["login", "--no-browser", "--issuer", system.issuer], {
      ...inFile,
      onOutput: (text) => {
        const address = /^http\S+$/m.exec(text)?.[0];
        if (visited || address === undefined || !text.includes(`${address}\n`)) return;
        visited = true;
        visit(address).catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
      },
    });
    expect(login).toMatchObject({ code: 0 });
    expect((await authz(["whoami", "--json"])).stdout).toContain("ada@acme.example");
    expect((await authz(["setup", "cursor", "--json"])).stdout).toContain(`${system.issuer}/mcp`);
    expect(await authz(["logout"])).toMatchObject({ code: 0 });
  });
});
