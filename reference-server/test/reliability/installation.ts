import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DevIdp, developmentPeople, startDevIdp } from "@authz/dev-idp";
import { findFreePort } from "authz-tools/network";
import type { QueryResultRow } from "pg";
import { testEnvironment } from "../support/environment.js";
import type { ServerCommands, RunningCommand } from "../support/processes.js";

/** A database that a test looks into. */
export interface ObservedDatabase {
  readonly url: string;
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
}

export interface InstallationOptions {
  readonly database: ObservedDatabase;
  /** Where the servers find the database, when that is not where the test finds it. */
  readonly databasePort?: number;
  /** The company's sign-in; a development provider when absent. */
  readonly providerIssuer?: string;
  /** Brings an empty database to the current schema first. */
  readonly migrate?: boolean;
  /** Connectors of the registry, for third parties that must know the issuer first. */
  readonly defineConnectors?: (issuer: string) => Promise<readonly object[]>;
}

/** One running server process. */
export interface ServerProcess {
  readonly origin: string;
  readonly command: RunningCommand;
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Server processes that share one database, one issuer and one registry. */
export interface Installation {
  readonly issuer: string;
  readonly database: ObservedDatabase;
  /** Starts a process. The first one has the issuer's own port; start it again after it was killed. */
  start(place?: "issuer" | "beside", environment?: Readonly<Record<string, string>>): Promise<ServerProcess>;
  close(): Promise<void>;
}

export const audience = "http://127.0.0.1:3101";
export const resource = "http://127.0.0.1:3101/api";
/** Has grants that no browser made; see `seed.ts`. */
export const seededEmail = "seeded@acme.example";

/** Registers a sign-in provider, people and one service with the operator's command; starts no process yet. */
export async function createInstallation(
  commands: ServerCommands,
  { database, databasePort, providerIssuer, migrate = false, defineConnectors }: InstallationOptions,
): Promise<Installation> {
  const port = await findFreePort();
  const issuer = `http://127.0.0.1:${port}`;
  const clientSecret = "dev-idp-secret";
  const redirectUris = [`${issuer}/sign-in/callback`];
  const clients = [{ clientId: "authz", clientSecret, redirectUris }];
  const idp: DevIdp | undefined =
    providerIssuer === undefined ? await startDevIdp({ people: developmentPeople, clients }) : undefined;
  const environment = testEnvironment({
    POSTGRES_URL: databasePort === undefined ? database.url : withPort(database.url, databasePort),
    AUTHZ_ISSUER: issuer,
    AUTHZ_RATE_LIMITS: "off",
  });
  if (migrate) await succeed(commands.run("authz-migrate", [], environment));
  const connectors = (await defineConnectors?.(issuer)) ?? [];
  const provider = { issuer: providerIssuer ?? idp?.issuer ?? "", clientSecret };
  await applyRegistry(commands, environment, { provider, connectors });
  const running = new Set<RunningCommand>();

  return {
    issuer,
    database,
    async start(place = "beside", changes = {}) {
      const AUTHZ_PORT = place === "issuer" ? String(port) : "0";
      const command = commands.run("authz-server", [], { ...environment, AUTHZ_PORT, ...changes });
      running.add(command);
      const line = await command.waitFor("The server is listening.");
      const { address: origin } = JSON.parse(line) as { address: string };
      return {
        origin,
        command,
        async kill() {
          command.kill("SIGKILL");
          await command.exited;
          running.delete(command);
        },
      };
    },
    async close() {
      for (const command of running) command.kill("SIGKILL");
      await Promise.all([...running].map(({ exited }) => exited));
      await idp?.close();
    },
  };
}

function withPort(databaseUrl: string, port: number): string {
  return Object.assign(new URL(databaseUrl), { port: String(port) }).href;
}

async function applyRegistry(
  commands: ServerCommands,
  environment: Readonly<Record<string, string | undefined>>,
  {
    provider,
    connectors,
  }: {
    readonly provider: { readonly issuer: string; readonly clientSecret: string };
    readonly connectors: readonly object[];
  },
): Promise<void> {
  const people = ["ada@acme.example", seededEmail];
  const service = {
    key: "contracts",
    name: "Contracts",
    resource,
    authorizationServer: audience,
    clientId: "authz-cli",
    requestPrefixes: [resource],
    scopes: ["contracts:read"],
  };
  const registry = {
    providers: [
      {
        key: "acme",
        name: "Acme",
        ...provider,
        clientId: "authz",
        scopes: ["openid", "profile", "email"],
      },
    ],
    scopes: [{ key: "contracts:read", description: "Read contracts" }],
    resources: [service],
    connectors,
    assignments: people.map((email) => ({ email, scopes: ["authz:login", "contracts:read"] })),
  };
  const folder = mkdtempSync(join(tmpdir(), `authz-registry-${randomUUID().slice(0, 8)}-`));
  const file = join(folder, "registry.json");
  writeFileSync(file, JSON.stringify(registry));
  await succeed(commands.run("authz-server", ["apply", "--file", file], environment));
  rmSync(folder, { recursive: true, force: true });
}

async function succeed(command: RunningCommand): Promise<void> {
  if ((await command.exited) !== 0) throw new Error(command.output());
}
