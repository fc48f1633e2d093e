import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { agentHosts } from "@authz/agent-tools/hosts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CliWorld, startCliWorld } from "../support/cli-world.js";

const issuer = ["--issuer", "https://authz.example.com"];
let world: CliWorld;
let project: string;
beforeAll(async () => {
  world = await startCliWorld();
});
afterAll(async () => await world.close());
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), "authz-project-"));
  for (const name of [".codex", ".config", ".cursor", ".gemini", "dotfiles"])
    await rm(join(world.home, name), { recursive: true, force: true });
});

/** Writes a file below the home of the next command. */
async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(world.home, path)), { recursive: true });
  await writeFile(join(world.home, path), text);
}

const read = async (path: string): Promise<string> => await readFile(join(world.home, path), "utf8");

describe("authz setup", () => {
  it("lists the hosts", async () => {
    const { code, stdout, stderr } = await world.run(["setup"], { terminal: true });
    expect([code, stderr]).toEqual([0, "Next: authz setup claude-code\n"]);
    for (const { key, name } of agentHosts) expect(stdout).toMatch(new RegExp(`^${key} +${name}$`, "m"));
    expect(JSON.parse((await world.run(["setup", "--json"])).stdout)).toEqual({
      hosts: agentHosts.map(({ key, name }) => ({ host: key, name })),
    });
  });

  it("shows the lines of a host for a server", async () => {
    const { code, stdout } = await world.run(["setup", "claude-code", ...issuer]);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "  claude mcp add --transport http --scope user authz https://authz.example.com/mcp\n",
    );
    expect(stdout).toContain("To sign in, in a shell: claude mcp login authz\n");
  });

  it("says how to have it written, with the same options", async () => {
    const { stderr } = await world.run([
      "setup",
      "cursor",
      ...issuer,
      "--name",
      "acme",
      "--in",
      "my project",
    ]);
    expect(stderr).toBe(
      "To add it to the file: authz setup cursor --issuer https://authz.example.com --name acme --in 'my project' --write\n",
    );
    const local = await world.run(["setup", "codex", "--local"]);
    expect(local.stderr).toBe("To add it to the file: authz setup codex --local --write\n");
  });

  it("takes the server of the profile", async () => {
    const before = await world.run(["setup", "cursor"]);
    expect([before.code, before.stderr]).toEqual([
      2,
      "No authorization server is known.\nNobody has signed in with this profile yet.\nName the server with: --issuer https://authz.example.com\n",
    ]);
    const work = ["--profile", "work"];
    await world.run(["config", "set-issuer", "https://authz.acme.example", ...work]);
    const { stdout } = await world.run(["setup", "cursor", "--json", ...work]);
    expect(JSON.parse(stdout)).toMatchObject({
      host: "cursor",
      file: {
        path: "~/.cursor/mcp.json",
        content: expect.stringContaining("https://authz.acme.example/mcp"),
      },
    });
  });

  it("lets the host start the installed command, with the profile that was named", async () => {
    const entry = async (program: string): Promise<unknown> => {
      const { stdout, stderr } = await world.run(
        ["setup", "cursor", "--local", "--json", "--profile", "work"],
        {
          program,
        },
      );
      const { file } = JSON.parse(stdout) as { file: { content: string } };
      return [(JSON.parse(file.content) as { mcpServers: { authz: unknown } }).mcpServers.authz, stderr];
    };
    const installed = { command: "authz", args: ["mcp", "--profile", "work"] };
    expect(await entry("authz")).toEqual([installed, ""]);
    expect(await entry("npx @authz/cli")).toEqual([
      installed,
      "The host starts the installed command: npm install --global @authz/cli\n",
    ]);
  });

  const unreachable =
    "Claude cannot reach http://127.0.0.1:3000/mcp.\nIt calls from its maker's data centers, and this address exists only on this computer.\n";
  it.each([
    [["frob"], "Allowed choices are claude-code"],
    [["cursor", "--name", "Authz!"], '"Authz!" is not a valid name for an entry.'],
    [["claude", "--local"], "Claude cannot start a program on this computer."],
    [["chatgpt", ...issuer, "--write"], "ChatGPT has no configuration file that could be written."],
    [["cursor", "--issuer", "http://authz.example.com"], "https"],
    [["claude", "--issuer", "http://127.0.0.1:3000"], unreachable],
    [["chatgpt", "--issuer", "https://localhost"], "AUTHZ_ISSUER"],
  ])("refuses %j", async (args, words) => {
    const { code, stderr } = await world.run(["setup", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});

describe("authz setup --write", () => {
  const set = async (host: string, ...more: string[]) =>
    await world.run(["setup", host, "--write", "--in", project, ...issuer, ...more]);

  for (const { key, setup } of agentHosts) {
    const shown = setup("authz", { kind: "remote", url: "https://authz.example.com/mcp" });
    if (shown?.file === undefined) continue;
    const { path } = shown.file;
    it(`makes ${path} for ${key}, and leaves it alone the second time`, async () => {
      expect((await set(key)).code).toBe(0);
      const place = path.startsWith("~/") ? join(world.home, path.slice(2)) : join(project, path);
      const { mtimeMs } = await stat(place);
      const again = await set(key);
      expect(again.stderr).toContain("already has it.");
      expect((await stat(place)).mtimeMs).toBe(mtimeMs);
      expect(await readFile(place, "utf8")).toContain("https://authz.example.com/mcp");
    });
  }

  const url = "https://authz.example.com/mcp";
  for (const { name, before, after } of [
    {
      name: "lists on a line, and tabs",
      before: '{\n\t"mcpServers": {\n\t\t"other": { "args": ["-y", "o"] }\n\t},\n\t"last": 1\n}\n',
      after: `{\n\t"mcpServers": {\n\t\t"other": { "args": ["-y", "o"] },\n\t\t"authz": {\n\t\t\t"url": "${url}"\n\t\t}\n\t},\n\t"last": 1\n}\n`,
    },
    {
      name: "line ends of Windows",
      before: '{\r\n  "a": 1\r\n}\r\n',
      after: `{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "authz": {\r\n      "url": "${url}"\r\n    }\r\n  }\r\n}\r\n`,
    },
    {
      name: "numbers that JavaScript cannot hold, escapes, and names that come twice",
      before:
        '{\n  "n": 12345678901234567890, "f": 1.0, "s": "\\u00e9\\/ }",\n  "n": 1,\n  "mcpServers": {}\n}',
      after: `{\n  "n": 12345678901234567890, "f": 1.0, "s": "\\u00e9\\/ }",\n  "n": 1,\n  "mcpServers": {\n    "authz": {\n      "url": "${url}"\n    }\n  }\n}`,
    },
    {
      name: "the last of two objects with the same name",
      before: '{"mcpServers":{"a":{}},"mcpServers":{"b":[{"mcpServers":{}}]}}',
      after: `{"mcpServers":{"a":{}},"mcpServers":{"b":[{"mcpServers":{}}],"authz": {"url":"${url}"}}}`,
    },
    {
      name: "nothing but an object",
      before: "{}",
      after: `{\n  "mcpServers": {\n    "authz": {\n      "url": "${url}"\n    }\n  }\n}`,
    },
  ]) {
    it(`changes no other character of a JSON file that has ${name}`, async () => {
      await write(".cursor/mcp.json", before);
      expect((await set("cursor")).code).toBe(0);
      expect(await read(".cursor/mcp.json")).toBe(after);
      expect(JSON.parse(after)).toHaveProperty("mcpServers.authz", { url });
      expect((await set("cursor")).stderr).toContain("already has it.");
    });
  }

  it("leaves a file alone that is not UTF-8", async () => {
    const bytes = Buffer.from('{ "mcpServers": { "caf\u00e9": {} } }', "latin1");
    await mkdir(join(world.home, ".cursor"));
    await writeFile(join(world.home, ".cursor/mcp.json"), bytes);
    const { code, stderr } = await set("cursor");
    expect([code, stderr]).toEqual([1, expect.stringContaining("It is not UTF-8.")]);
    expect(await readFile(join(world.home, ".cursor/mcp.json"))).toEqual(bytes);
  });

  it("keeps what else a TOML file says, byte for byte", async () => {
    const before = 'model = "x"\r\n\r\n[mcp_servers.other]\r\nurl = "https://o.example"\r\n';
    await write(".codex/config.toml", before);
    await set("codex");
    expect(await read(".codex/config.toml")).toBe(
      `${before}\r\n[mcp_servers.authz]\r\nurl = "https://authz.example.com/mcp"\r\n`,
    );
  });

  it("keeps the permissions of a file, and follows a link in the home of the person", async () => {
    await write("dotfiles/mcp.json", "{}");
    await mkdir(join(world.home, ".cursor"));
    await symlink(join(world.home, "dotfiles/mcp.json"), join(world.home, ".cursor/mcp.json"));
    await set("cursor");
    expect(JSON.parse(await read("dotfiles/mcp.json"))).toHaveProperty("mcpServers.authz");
  });

  it("never follows a link in a project", async () => {
    await symlink(world.home, join(project, ".vscode"));
    const { code, stderr } = await set("vscode");
    expect([code, stderr]).toEqual([1, expect.stringContaining("is a link.")]);
    await expect(read("mcp.json")).rejects.toThrow("ENOENT");
  });

  const foreign = "that says something else.";
  const table = '[mcp_servers."authz"]\nurl = "https://other.example/mcp"\n';
  const larger = '[mcp_servers.authz]\nurl = "https://authz.example.com/mcp"\nenabled = false\n';
  it.each([
    [
      "another entry of this name",
      "cursor",
      '{ "mcpServers": { "authz": { "url": "https://other.example/mcp" } } }',
      `It has an entry "authz" below "mcpServers" ${foreign}`,
    ],
    ["comments", "cursor", "{} // mine", "without losing"],
    ["a list", "cursor", "[]", "without losing"],
    ["a list in the place of its entries", "cursor", '{ "mcpServers": [] }', "without losing"],
    ["a table of this name", "codex", table, `It has an entry "authz" below "mcp_servers" ${foreign}`],
    ["a table of this name with more in it", "codex", larger, "says something else"],
    ["a subtable of it", "codex", "[ mcp_servers . authz . env ]\n", "says something else"],
    ["an inline table", "codex", "mcp_servers = { authz = {} }\n", "without losing"],
    ["dotted keys", "codex", 'mcp_servers.authz.url = "x"\n', "without losing"],
    ["a text of several lines", "codex", 'x = """\n', "without losing"],
  ])("leaves a file alone that has %s", async (_name, host, text, words) => {
    const path = host === "cursor" ? ".cursor/mcp.json" : ".codex/config.toml";
    await write(path, text);
    const { code, stderr } = await set(host);
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
    expect(await read(path)).toBe(text);
  });
});
