import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { openSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { generateEs256KeyPair } from "@authz/dpop";
import { type AnsweringProcess, startProcess } from "../child-process.js";

export type Environment = Readonly<Record<string, string>>;

/** What authz-server is started with on a port of this machine, with secrets of its own. */
export async function serverEnvironment(place: {
  readonly postgresUrl: string;
  readonly port: number;
}): Promise<Environment> {
  const { privateJwk, publicJwk } = await generateEs256KeyPair();
  return {
    NODE_ENV: "production",
    POSTGRES_URL: place.postgresUrl,
    AUTHZ_ISSUER: originOf(place.port),
    AUTHZ_ALLOW_INSECURE_LOOPBACK: "true",
    AUTHZ_HOST: "127.0.0.1",
    AUTHZ_PORT: String(place.port),
    AUTH_SESSION_SECRET: randomBytes(32).toString("base64url"),
    AUTHZ_SETUP_TOKEN: randomBytes(32).toString("base64url"),
    AUTHZ_CREDENTIAL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    AUTHZ_SIGNING_PRIVATE_JWK: JSON.stringify(privateJwk),
    AUTHZ_SIGNING_PUBLIC_JWK: JSON.stringify(publicJwk),
    AUTHZ_SIGNING_KID: randomUUID(),
    // The load comes from one address and few clients.
    AUTHZ_RATE_LIMITS: "off",
  };
}

export function originOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

/** Brings a database to the server's schema. */
export async function migrate(postgresUrl: string): Promise<void> {
  await run("authz-migrate", [], { POSTGRES_URL: postgresUrl });
}

/** Stores the records of a registry file, as an operator would. */
export async function applyRegistry(
  environment: Environment,
  folder: string,
  registry: object,
): Promise<void> {
  const file = join(folder, "registry.json");
  writeFileSync(file, JSON.stringify(registry));
  await run("authz-server", ["apply", "--file", file], environment);
}

export interface ServerOptions {
  /** For its log, which has this name. */
  readonly folder: string;
  readonly name?: string;
  /** Options of Node.js, such as `--cpu-prof`. */
  readonly execArgv?: readonly string[];
  /** In place of that of the environment. */
  readonly port?: number;
}

/** Starts the server as an operator would, with its own command, and returns when it answers. */
export async function startServer(
  environment: Environment,
  { folder, name = "server", execArgv = [], port = Number(environment["AUTHZ_PORT"]) }: ServerOptions,
): Promise<AnsweringProcess> {
  const log = openSync(join(folder, `${name.replaceAll(/\W+/g, "-")}.log`), "a");
  const hook = new URL("./usage-hook.js", import.meta.url).href;
  const server = startProcess(commandOf("authz-server"), [], {
    env: { ...process.env, ...environment, AUTHZ_PORT: String(port) },
    execArgv: [...execArgv, "--import", hook],
    stdio: ["ignore", log, log, "ipc"],
  });
  while (!(await answers(`${originOf(port)}/.well-known/openid-configuration`))) {
    if (server.process.exitCode !== null)
      throw new Error("authz-server ended while starting; its log says why.");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return server;
}

async function answers(url: string): Promise<boolean> {
  return await fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function run(command: string, args: readonly string[], environment: Environment): Promise<void> {
  const env = { ...process.env, ...environment };
  await promisify(execFile)(process.execPath, [commandOf(command), ...args], { env });
}

function commandOf(name: string): string {
  return createRequire(import.meta.url).resolve(`authz-server/bin/${name}.js`);
}
