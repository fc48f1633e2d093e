import { execFile } from "node:child_process";
import { openSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { serverEnvironment, waitUntilServing } from "../../authz-server.js";
import { startProcess } from "../child-process.js";
import type { Contender } from "../contender.js";
import { clientIds, codeVerifier, emailOf, peopleCount, redirectUri } from "../load.js";
import { createSeeds } from "./seed.js";

export interface AuthzOptions {
  readonly name: string;
  /** The database is empty at the start. */
  readonly postgresUrl: string;
  readonly port: number;
  /** Others that share the database, each on a port of its own. */
  readonly morePorts?: readonly number[];
  /** In place of secrets of its own: those that what is in the database was made with. */
  readonly environment?: Readonly<Record<string, string>>;
  /** For logs and the registry file. */
  readonly folder: string;
  /** Node.js options, such as `--cpu-prof`. */
  readonly nodeOptions: readonly string[];
}

const resource = "http://127.0.0.1:3101/api";
const audience = "http://127.0.0.1:3101";
const registry = {
  scopes: [{ key: "contracts:read", description: "Read contracts" }],
  resources: [
    {
      key: "contracts",
      name: "Contracts",
      resource,
      authorizationServer: audience,
      clientId: clientIds[0],
      requestPrefixes: [resource],
      scopes: ["contracts:read"],
    },
  ],
  assignments: Array.from({ length: peopleCount }, (_, person) => ({
    email: emailOf(person),
    scopes: ["authz:login", "contracts:read"],
  })),
};

/** Brings an empty database to the server's schema. */
export async function createTables(postgresUrl: string): Promise<void> {
  const command = createRequire(import.meta.url).resolve("authz-server/bin/authz-migrate.js");
  const env = { ...process.env, POSTGRES_URL: postgresUrl };
  await promisify(execFile)(process.execPath, [command], { env });
}

/** Starts the server as an operator would, with its own command; logs go to a file. */
export async function startAuthz(options: AuthzOptions): Promise<Contender> {
  const { name, port, morePorts = [], postgresUrl, folder } = options;
  const command = createRequire(import.meta.url).resolve("authz-server/bin/authz-server.js");
  const origin = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    ...(await serverEnvironment({ postgresUrl, port })),
    ...options.environment,
  };
  const registryFile = join(folder, "registry.json");
  writeFileSync(registryFile, JSON.stringify(registry));
  await promisify(execFile)(process.execPath, [command.replace("authz-server.js", "authz-migrate.js")], {
    env,
  });
  await promisify(execFile)(process.execPath, [command, "apply", "--file", registryFile], { env });

  const log = openSync(join(folder, `${name.replaceAll(/\W+/g, "-")}.log`), "a");
  const hook = new URL("./usage-hook.js", import.meta.url).href;
  const ports = [port, ...morePorts];
  const servers = ports.map((own) =>
    startProcess(command, [], {
      env: { ...env, AUTHZ_PORT: String(own) },
      execArgv: [...options.nodeOptions, "--import", hook],
      stdio: ["ignore", log, log, "ipc"],
    }),
  );
  await Promise.all(
    servers.map(({ process: child }, index) =>
      waitUntilServing(`http://127.0.0.1:${ports[index]}/.well-known/openid-configuration`, child),
    ),
  );
  const idleBytes = (await servers[0]?.usage())?.rssBytes ?? Number.NaN;
  const database = new Client({ connectionString: postgresUrl });
  const seeds = await createSeeds(database);
  return {
    name,
    servers,
    ports,
    idleBytes,
    tokenUrl: `${origin}/api/oauth/token`,
    parameters: {
      refresh: { grant_type: "refresh_token" },
      code: {
        grant_type: "authorization_code",
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
      },
      exchange: {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
        subject_token_type: "urn:ietf:params:oauth:token-type:refresh_token",
        audience,
        resource,
        scope: "contracts:read",
      },
    },
    seedLogIns: (keyPairs) => seeds.grants(keyPairs),
    seedCodes: (keyPairs, each) => seeds.codes(keyPairs, each),
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
      await database.end();
    },
  };
}
