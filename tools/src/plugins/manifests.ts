import { type Description, issuerQuestion, issuerVariable } from "./description.js";

/** A member that is undefined is left out when it is written. */
export type Manifest = Readonly<Record<string, unknown>>;

/** What the formats have in common, in the order in which a person reads it. */
function common({
  name,
  version,
  description,
  homepage,
  repository,
  license,
  keywords,
}: Description): Manifest {
  return { name, version, description, homepage, repository, license, keywords };
}

/** `.claude-plugin/plugin.json`. The answer to the question is a part of the address. */
export function claudeManifest(plugin: Description, asksForIssuer: boolean): Manifest {
  const { name, ...rest } = common(plugin);
  return {
    name,
    displayName: plugin.displayName,
    ...rest,
    author: { name: plugin.author },
    userConfig: asksForIssuer ? { issuer: { type: "string", ...issuerQuestion, required: true } } : undefined,
  };
}

/** `.codex-plugin/plugin.json`. Codex asks for nothing, so a plugin for it can only be the local one. */
export function codexManifest(plugin: Description): Manifest {
  return {
    ...common(plugin),
    author: { name: plugin.author },
    skills: "./skills/",
    mcpServers: "./.mcp.json",
    interface: {
      displayName: plugin.displayName,
      shortDescription: plugin.description,
      developerName: plugin.author,
      category: "Productivity",
      capabilities: ["Interactive", "Write"],
      websiteURL: plugin.homepage,
      defaultPrompt: ["What can I do at our company's services?"],
    },
  };
}

/** `.cursor-plugin/plugin.json`. Everything else is found by its place only when it is named here. */
export function cursorManifest(plugin: Description, asksForIssuer: boolean): Manifest {
  const { name, ...rest } = common(plugin);
  return {
    name,
    displayName: plugin.displayName,
    ...rest,
    author: { name: plugin.author },
    skills: "./skills/",
    mcpServers: "./mcp.json",
    variables: asksForIssuer
      ? {
          type: "object",
          properties: { [issuerVariable]: { type: "string", format: "uri", ...issuerQuestion } },
          required: [issuerVariable],
        }
      : undefined,
  };
}

/** `plugin.json` of the open standard, which VS Code, Cursor, Codex and others read. It has no place for a question. */
export function openManifest(plugin: Description): Manifest {
  return {
    $schema: "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json",
    ...common(plugin),
    author: { name: plugin.author },
  };
}

/** `gemini-extension.json` */
export function geminiManifest(plugin: Description, mcpServers: Manifest, asksForIssuer: boolean): Manifest {
  const { name, version, description } = plugin;
  const { title, ...question } = issuerQuestion;
  return {
    name,
    version,
    description,
    mcpServers,
    settings: asksForIssuer ? [{ name: title, ...question, envVar: issuerVariable }] : undefined,
  };
}
