import { spawnSync } from "node:child_process";
import {
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
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pluginFiles } from "../../src/plugins/plugin-files.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const files = pluginFiles();
const paths = [...files.keys()];

type Json = { readonly [name: string]: unknown };
const json = (path: string): Json => JSON.parse(files.get(path) ?? "") as Json;
const named = (ending: string): string[] => paths.filter((path) => path.endsWith(ending));

describe("the committed files", () => {
  test.each(paths)("%s is what npm run plugins writes", (path) => {
    expect(readFileSync(join(root, path), "utf8")).toBe(files.get(path));
  });

  test("have no others beside them", () => {
    const entries = readdirSync(join(root, "plugins"), { recursive: true, withFileTypes: true });
    const found = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
    expect(found.filter((path) => !files.has(path))).toEqual([]);
  });
});

/** The members that a format knows: others are refused, or taken for mistakes. */
const common = "name version description author homepage repository license keywords";
const members: Readonly<Record<string, string>> = {
  ".claude-plugin/plugin.json": `${common} displayName userConfig`,
  ".codex-plugin/plugin.json": `${common} skills mcpServers interface`,
  ".cursor-plugin/plugin.json": `${common} displayName skills mcpServers variables`,
  "vscode/authz/plugin.json": `${common} $schema`,
  "gemini-extension.json": "name version description mcpServers settings",
};

describe.each(Object.entries(members))("%s", (ending, known) => {
  test.each(named(ending))("%s has members that its host knows, and the name of its folder", (path) => {
    const manifest = json(path);
    expect(Object.keys(manifest).filter((member) => !known.split(" ").includes(member))).toEqual([]);
    expect(manifest.name).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/);
    expect(path.split("/")[2]).toBe(manifest.name);
    expect(manifest.version).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

test("every plugin has the skill in the folder of its name", () => {
  const plugins = new Set(
    paths
      .filter((path) => /^plugins\/[^/]+\//.test(path))
      .map((path) => path.split("/").slice(0, 3).join("/")),
  );
  for (const plugin of plugins)
    expect(files.get(`${plugin}/skills/authz/SKILL.md`)).toMatch(/^---\nname: authz\n/);
});

test("every path in a manifest leads to a file of the same plugin", () => {
  for (const path of [...named(".codex-plugin/plugin.json"), ...named(".cursor-plugin/plugin.json")]) {
    const { skills, mcpServers } = json(path) as { skills: string; mcpServers: string };
    const plugin = join(dirname(path), "..");
    expect([...files.keys()]).toContain(join(plugin, mcpServers));
    expect(paths.some((one) => one.startsWith(join(plugin, skills)))).toBe(true);
  }
});

test("every marketplace lists plugins that are there, in the format of its host", () => {
  const manifests: Readonly<Record<string, string>> = {
    ".claude-plugin/marketplace.json": ".claude-plugin/plugin.json",
    ".cursor-plugin/marketplace.json": ".cursor-plugin/plugin.json",
    ".agents/plugins/marketplace.json": ".codex-plugin/plugin.json",
    ".github/plugin/marketplace.json": "plugin.json",
  };
  expect(named("marketplace.json").sort()).toEqual(Object.keys(manifests).sort());
  for (const [marketplace, manifest] of Object.entries(manifests)) {
    const { plugins } = json(marketplace) as {
      plugins: readonly { name: string; source: string | { path: string } }[];
    };
    expect(plugins.length).toBeGreaterThan(0);
    for (const { name, source } of plugins) {
      const place = join(typeof source === "string" ? source : source.path, manifest);
      expect(existsSync(join(root, place))).toBe(true);
      expect(json(place).name).toBe(name);
    }
  }
});

test("an address is asked for by the name that the server's entry has", () => {
  const asked = {
    "claude-code/authz-remote/.mcp.json": ["${user_config.issuer}/mcp", "userConfig.issuer"],
    "cursor/authz-remote/mcp.json": ["${AUTHZ_ISSUER}/mcp", "variables.properties.AUTHZ_ISSUER"],
    "gemini/authz-remote/gemini-extension.json": ["${AUTHZ_ISSUER}/mcp", "settings"],
  };
  for (const [path, [address = "", member = ""]] of Object.entries(asked)) {
    expect(files.get(`plugins/${path}`)).toContain(`"${address}"`);
    const [host = "", plugin = ""] = path.split("/");
    const [manifest = ""] = paths.filter((one) =>
      new RegExp(`^plugins/${host}/${plugin}/(?:\\.[a-z-]+/plugin|gemini-extension)\\.json$`).test(one),
    );
    expect(json(manifest)).toHaveProperty(member);
  }
});

describe("a repository that another person wrote", () => {
  let home: string;
  let repository: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "authz-plugins-"));
    repository = join(home, "repository");
    const own = join(home, "bin");
    const shipped = join(repository, "node_modules/@authz/cli");
    const programs = join(repository, "node_modules/.bin");
    for (const folder of [own, shipped, programs]) mkdirSync(folder, { recursive: true });
    symlinkSync(join(root, "packages/cli/bin/authz.js"), join(own, "authz"));
    writeFileSync(join(repository, ".npmrc"), "@authz:registry=http://127.0.0.1:9/\n");
    writeFileSync(
      join(shipped, "package.json"),
      '{"name":"@authz/cli","version":"0.0.0","bin":{"authz":"run"}}',
    );
    for (const name of ["authz", "node", "sh"])
      writeFileSync(join(programs, name), `#!/bin/sh\ntouch ${join(home, "ran")}\n`, { mode: 0o755 });
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const local = paths.flatMap((path) => {
    const found = /"command":\s*("authz"|\[[^\]]*\])(?:,\s*"args":\s*(\[[^\]]*\]))?/.exec(
      files.get(path) ?? "",
    );
    if (found === null) return [];
    const [, command = "", args = "[]"] = found;
    return [[path, [JSON.parse(command), JSON.parse(args)].flat(2) as string[]] as const];
  });

  test("is what a plugin of each host is opened in", () => {
    const hosts = local.map(([path]) => path.split("/")[1]);
    expect(new Set(hosts)).toEqual(
      new Set(["claude-code", "codex", "cursor", "gemini", "opencode", "vscode"]),
    );
  });

  test.each(local)("cannot decide what %s starts", (_path, [command = "", ...args]) => {
    const hello = { jsonrpc: "2.0", id: 1, method: "initialize" };
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    };
    const { stdout } = spawnSync(command, args, {
      cwd: repository,
      env: { HOME: home, PATH: [join(home, "bin"), dirname(process.execPath)].join(delimiter) },
      input: `${JSON.stringify({ ...hello, params })}\n`,
      encoding: "utf8",
    });
    expect(JSON.parse(stdout)).toMatchObject({ result: { serverInfo: { name: "authz" } } });
    expect(existsSync(join(home, "ran"))).toBe(false);
  });
});
