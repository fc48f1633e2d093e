import { createRequire } from "node:module";
import type { DevelopmentSecrets } from "./secrets.js";
import { type SystemSettings, systemOrigin } from "./settings.js";

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

const installed = createRequire(import.meta.url);
const serverCommand = (...args: readonly string[]): string[] => [
  process.execPath,
  installed.resolve("authz-server/bin/authz-server.js"),
  ...args,
];

export function idpProgram(settings: SystemSettings, secrets: DevelopmentSecrets): LastingProgram {
  const issuer = systemOrigin(settings, "server");
  return {
    key: "dev-idp",
    title: "Development identity provider",
    command: [process.execPath, installed.resolve("@authz/dev-idp/main")],
    env: {
      ...settings.inherited,
      DEV_IDP_PORT: String(settings.ports.idp),
      DEV_IDP_CLIENT_SECRET: secrets.idpClientSecret,
      DEV_IDP_AGENT_SECRET: secrets.agentClientSecret,
      DEV_IDP_AUTHZ_ISSUER: issuer,
      DEV_IDP_REDIRECT_URI: `${issuer}/sign-in/callback`,
      DEV_IDP_STATE: settings.stateDirectory,
    },
    readyUrl: `${systemOrigin(settings, "idp")}/.well-known/openid-configuration`,
  };
}

export function serverProgram(settings: SystemSettings, env: NodeJS.ProcessEnv): LastingProgram {
  return {
    key: "server",
    title: "Authorization server",
    command: serverCommand(),
    env,
    readyUrl: `${systemOrigin(settings, "server")}/.well-known/openid-configuration`,
  };
}

/** Writes the contents of a registry file into the database, then ends. */
export function registrationProgram(env: NodeJS.ProcessEnv, file: string): Program {
  return { key: "registration", title: "Registration", command: serverCommand("apply", "--file", file), env };
}

/** Lets the server have another address than the last time, then ends. */
export function addressProgram(env: NodeJS.ProcessEnv): Program {
  return { key: "address", title: "New address", command: serverCommand("accept", "AUTHZ_ISSUER"), env };
}

/** The environment of the authorization server, as its image gets it in production, plus what loopback needs. */
export function serverEnvironment(
  settings: SystemSettings,
  secrets: DevelopmentSecrets,
  postgresUrl: string,
): NodeJS.ProcessEnv {
  const { privateJwk, publicJwk, kid } = secrets.serverSigningKey;
  return {
    ...settings.inherited,
    POSTGRES_URL: postgresUrl,
    AUTHZ_ISSUER: systemOrigin(settings, "server"),
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

/** The address of the server's own database on this computer. */
export function databaseUrl({ ports }: SystemSettings, { databasePassword }: DevelopmentSecrets): string {
  return `postgres://authz:${encodeURIComponent(databasePassword)}@127.0.0.1:${ports.postgres}/authz`;
}
