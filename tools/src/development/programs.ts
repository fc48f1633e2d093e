import { join } from "node:path";
import type { LastingProgram } from "../parts.js";
import type { DevelopmentSecrets } from "./secrets.js";
import { originOf, type ServiceKey, type Settings } from "./settings.js";

export const serviceTitles: Readonly<Record<ServiceKey, string>> = {
  express: "Contracts (Express)",
  koa: "Contracts (Koa)",
  fastify: "Contracts (Fastify)",
};

export const mcpTitle = "Contracts (MCP)";

/** The third party that people connect their accounts of. */
export function notesProgram(settings: Settings, secrets: DevelopmentSecrets): LastingProgram {
  return {
    key: "dev-notes",
    title: "Notes, the third party",
    command: nodeCommand(settings, "examples/dev-notes/dist/main.js"),
    env: {
      ...settings.inherited,
      DEV_NOTES_PORT: String(settings.ports.notes),
      DEV_NOTES_CLIENT_SECRET: secrets.notesClientSecret,
      DEV_NOTES_REDIRECT_URI: `${originOf(settings, "server")}/connections/callback/notes`,
    },
    readyUrl: `${originOf(settings, "notes")}/.well-known/oauth-authorization-server`,
  };
}

export function serviceProgram(settings: Settings, key: ServiceKey, signingKeyFile: string): LastingProgram {
  return {
    key: `contracts-${key}`,
    title: serviceTitles[key],
    command: nodeCommand(settings, `examples/contracts-${key}/dist/main.js`),
    ...serviceParts(settings, key, signingKeyFile),
  };
}

/** The same contracts for agent hosts: tools instead of routes. */
export function mcpProgram(settings: Settings, signingKeyFile: string): LastingProgram {
  return {
    key: "mcp-server",
    title: mcpTitle,
    command: nodeCommand(settings, "examples/mcp-server/dist/main.js"),
    ...serviceParts(settings, "mcp", signingKeyFile),
  };
}

function serviceParts(
  settings: Settings,
  part: ServiceKey | "mcp",
  signingKeyFile: string,
): Pick<LastingProgram, "env" | "readyUrl"> {
  return {
    env: {
      ...settings.inherited,
      PORT: String(settings.ports[part]),
      PUBLIC_ORIGIN: originOf(settings, part),
      AUTHZ_ISSUER: originOf(settings, "server"),
      SIGNING_KEY_FILE: signingKeyFile,
    },
    readyUrl: `${originOf(settings, part)}/.well-known/oauth-protected-resource`,
  };
}

function nodeCommand(settings: Settings, script: string): string[] {
  return [process.execPath, join(settings.root, script)];
}
