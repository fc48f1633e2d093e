import { join } from "node:path";
import type { DevelopmentSecrets } from "./secrets.js";
import { originOf, type ServiceKey, type Settings } from "./settings.js";

/** A child process of the development system. */
export interface Program {
  /** Names its log file. */
  readonly key: string;
  /** As people call it. */
  readonly title: string;
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** A program that runs until it is stopped. */
export interface LastingProgram extends Program {
  /** Answers 200 as soon as the program is ready. */
  readonly readyUrl: string;
}

export const serviceTitles: Readonly<Record<ServiceKey, string>> = {
  express: "Contracts (Express)",
  koa: "Contracts (Koa)",
  fastify: "Contracts (Fastify)",
};

export const mcpTitle = "Contracts (MCP)";

export function idpProgram(settings: Settings, secrets: DevelopmentSecrets): LastingProgram {
  return {
    key: "dev-idp",
    title: "Development identity provider",
    command: nodeCommand(settings, "examples/dev-idp/dist/main.js"),
    env: {
      ...settings.inherited,
      DEV_IDP_PORT: String(settings.ports.idp),
      DEV_IDP_CLIENT_SECRET: secrets.idpClientSecret,
      DEV_IDP_AGENT_SECRET: secrets.agentClientSecret,
      DEV_IDP_AUTHZ_ISSUER: originOf(settings, "server"),
      DEV_IDP_REDIRECT_URI: `${originOf(settings, "server")}/sign-in/callback`,
      DEV_IDP_STATE: settings.stateDirectory,
    },
    readyUrl: `${originOf(settings, "idp")}/.well-known/openid-configuration`,
  };
}

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

export function serverProgram(settings: Settings, env: NodeJS.ProcessEnv): LastingProgram {
  return {
    key: "server",
    title: "Authorization server",
    command: nodeCommand(settings, "reference-server/bin/authz-server.js"),
    env,
    readyUrl: `${originOf(settings, "server")}/.well-known/openid-configuration`,
  };
}

/** Writes the contents of a registry file into the database, then ends. */
export function registrationProgram(settings: Settings, env: NodeJS.ProcessEnv, file: string): Program {
  return {
    key: "registration",
    title: "Registration",
    command: [...nodeCommand(settings, "reference-server/bin/authz-server.js"), "apply", "--file", file],
    env,
  };
}

/** Lets the server have another address than the last time, then ends. */
export function addressProgram(settings: Settings, env: NodeJS.ProcessEnv): Program {
  return {
    key: "address",
    title: "New address",
    command: [...nodeCommand(settings, "reference-server/bin/authz-server.js"), "accept", "AUTHZ_ISSUER"],
    env,
  };
}

/** The environment of the authorization server, as its image gets it in production, plus what loopback needs. */
export function serverEnvironment(
  settings: Settings,
  secrets: DevelopmentSecrets,
  databaseUrl: string,
): NodeJS.ProcessEnv {
  const { privateJwk, publicJwk, kid } = secrets.serverSigningKey;
  return {
    ...settings.inherited,
    POSTGRES_URL: databaseUrl,
    AUTHZ_ISSUER: originOf(settings, "server"),
    AUTH_SESSION_SECRET: secrets.sessionSecret,
    AUTHZ_SETUP_TOKEN: secrets.setupToken,
    AUTHZ_CREDENTIAL_ENCRYPTION_KEY: secrets.credentialEncryptionKey,
    AUTHZ_CONNECTOR_KEK: secrets.connectorKek,
    AUTHZ_SIGNING_PRIVATE_JWK: JSON.stringify(privateJwk),
    AUTHZ_SIGNING_PUBLIC_JWK: JSON.stringify(publicJwk),
    AUTHZ_SIGNING_KID: kid,
    AUTHZ_HOST: "127.0.0.1",
    AUTHZ_PORT: String(settings.ports.server),
    AUTHZ_ALLOW_INSECURE_LOOPBACK: "true",
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
