import type { Description } from "./description.js";
import type { Manifest } from "./manifests.js";

/** A plugin and the folder that it lies in, from the root of the repository. */
export interface Listed {
  readonly plugin: Description;
  readonly folder: string;
}

/** `.claude-plugin/marketplace.json`, which Claude Code reads, and VS Code when there is nothing of its own. */
export function claudeMarketplace(listed: readonly Listed[]): Manifest {
  return {
    $schema: "https://json.schemastore.org/claude-code-marketplace.json",
    ...head(listed),
    plugins: listed.map(({ plugin: { name, description, license, keywords, homepage }, folder }) => ({
      name,
      source: `./${folder}`,
      description,
      homepage,
      license,
      keywords,
    })),
  };
}

/** `.cursor-plugin/marketplace.json` */
export function cursorMarketplace(listed: readonly Listed[]): Manifest {
  const { description, ...rest } = head(listed);
  return {
    ...rest,
    metadata: { description },
    plugins: listed.map(({ plugin: { name, description: about }, folder }) => ({
      name,
      source: folder,
      description: about,
    })),
  };
}

/** `.agents/plugins/marketplace.json`, which Codex prefers to that of Claude Code. */
export function codexMarketplace(listed: readonly Listed[]): Manifest {
  return {
    name: "authz",
    interface: { displayName: "Authz" },
    plugins: listed.map(({ plugin: { name }, folder }) => ({
      name,
      source: { source: "local", path: `./${folder}` },
      policy: { installation: "AVAILABLE", authentication: "ON_USE" },
      category: "Productivity",
    })),
  };
}

/** `.github/plugin/marketplace.json`, where VS Code and the Copilot command look first. */
export function copilotMarketplace(listed: readonly Listed[]): Manifest {
  const { description, ...rest } = head(listed);
  return {
    ...rest,
    metadata: { description },
    plugins: listed.map(({ plugin: { name, description: about, version }, folder }) => ({
      name,
      source: `./${folder}`,
      description: about,
      version,
    })),
  };
}

function head([first]: readonly Listed[]): { name: string; description: string; owner: { name: string } } {
  return {
    name: "authz",
    description: first?.plugin.description ?? "",
    owner: { name: first?.plugin.author ?? "" },
  };
}
