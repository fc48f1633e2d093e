import {
  agentSkill,
  entryName,
  findHost,
  fileValue,
  installGuideFor,
  commandServer,
  type Server,
  skillFile,
} from "@authz/agent-tools/hosts";
import { issuerVariable, local, remote } from "./description.js";
import {
  claudeManifest,
  codexManifest,
  cursorManifest,
  geminiManifest,
  type Manifest,
  openManifest,
} from "./manifests.js";
import {
  claudeMarketplace,
  codexMarketplace,
  copilotMarketplace,
  cursorMarketplace,
} from "./marketplaces.js";
import { readme } from "./readme.js";

/** Where the parts of every plugin are. */
const folder = (host: string, name: string): string => `plugins/${host}/${name}`;

/** Placeholder for the address of a company. */
const exampleIssuer = "https://authz.example.com";

/** The generated files, by their paths from the root of the repository. */
export function pluginFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const put = (path: string, content: string | Manifest): void => {
    files.set(path, typeof content === "string" ? content : `${JSON.stringify(content, undefined, 2)}\n`);
  };
  const skill = (place: string): void =>
    put(`${place}/skills/${agentSkill.name}/SKILL.md`, skillFile(agentSkill));

  for (const [plugin, server] of [
    [local, commandServer],
    [remote, asked("${user_config.issuer}")],
  ] as const) {
    const place = folder("claude-code", plugin.name);
    put(`${place}/.claude-plugin/plugin.json`, claudeManifest(plugin, plugin === remote));
    put(`${place}/.mcp.json`, entryFor("claude-code", server));
    skill(place);
  }

  put(`${folder("codex", local.name)}/.codex-plugin/plugin.json`, codexManifest(local));
  put(`${folder("codex", local.name)}/.mcp.json`, { mcpServers: serversOf("claude-code", commandServer) });
  skill(folder("codex", local.name));

  for (const [plugin, server] of [
    [local, commandServer],
    [remote, asked(`\${${issuerVariable}}`)],
  ] as const) {
    const place = folder("cursor", plugin.name);
    put(`${place}/.cursor-plugin/plugin.json`, cursorManifest(plugin, plugin === remote));
    put(`${place}/mcp.json`, entryFor("cursor", server));
    skill(place);
  }

  const open = folder("vscode", local.name);
  put(`${open}/plugin.json`, openManifest(local));
  put(`${open}/mcp.json`, {
    $schema: "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
    mcpServers: serversOf("vscode", commandServer),
  });
  skill(open);

  for (const [plugin, server] of [
    [local, commandServer],
    [remote, asked(`\${${issuerVariable}}`)],
  ] as const) {
    const place = folder("gemini", plugin.name);
    put(
      `${place}/gemini-extension.json`,
      geminiManifest(plugin, serversOf("gemini", server), plugin === remote),
    );
    skill(place);
  }

  for (const [plugin, server] of [
    [local, commandServer],
    [remote, asked(`{env:${issuerVariable}}`)],
  ] as const) {
    const place = folder("opencode", plugin.name);
    put(`${place}/opencode.json`, entryFor("opencode", server));
    skill(place);
  }

  const both = (host: string) =>
    [local, remote].map((plugin) => ({ plugin, folder: folder(host, plugin.name) }));
  put(".claude-plugin/marketplace.json", claudeMarketplace(both("claude-code")));
  put(".cursor-plugin/marketplace.json", cursorMarketplace(both("cursor")));
  put(
    ".agents/plugins/marketplace.json",
    codexMarketplace([{ plugin: local, folder: folder("codex", local.name) }]),
  );
  put(".github/plugin/marketplace.json", copilotMarketplace([{ plugin: local, folder: open }]));
  put("plugins/README.md", readme());
  put("install.md", installGuideFor({ issuer: exampleIssuer, installationName: "your company" }));
  return files;
}

/** The server at an address that the host puts together when it starts. */
function asked(issuer: string): Server {
  return { kind: "remote", url: `${issuer}/mcp` };
}

/** A file as the host has it, with one entry. */
function entryFor(host: string, server: Server): Manifest {
  const file = findHost(host)?.setup(entryName, server)?.file;
  if (file === undefined) throw new Error(`${host} has no file for such a server.`);
  return fileValue(file);
}

/** The entry alone, below its name. */
function serversOf(host: string, server: Server): Manifest {
  const file = findHost(host)?.setup(entryName, server)?.file;
  if (file === undefined) throw new Error(`${host} has no file for such a server.`);
  return { [entryName]: file.entry };
}
