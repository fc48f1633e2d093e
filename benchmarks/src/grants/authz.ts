import { Client } from "pg";
import { clientIds, emailOf, peopleCount } from "../authz/people.js";
import { createSeeds } from "../authz/seed.js";
import {
  applyRegistry,
  type Environment,
  migrate,
  originOf,
  serverEnvironment,
  startServer,
} from "../authz/start-server.js";
import { commonParameters, type Contender } from "./contender.js";

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

/** Starts authz-server, with its records in a database that is empty or has its tables. */
export async function startAuthz(options: {
  readonly name: string;
  readonly postgresUrl: string;
  /** One process on each. */
  readonly ports: readonly [number, ...number[]];
  /** In place of secrets of its own: those that what is in the database was made with. */
  readonly environment?: Environment;
  readonly folder: string;
  readonly execArgv?: readonly string[];
}): Promise<Contender> {
  const { name, ports, postgresUrl, folder, execArgv = [] } = options;
  const own = await serverEnvironment({ postgresUrl, port: ports[0] });
  const environment = { ...own, ...options.environment };
  await migrate(postgresUrl);
  await applyRegistry(environment, folder, registry);
  const servers = await Promise.all(
    ports.map((port) => startServer(environment, { folder, name, execArgv, port })),
  );
  const idleBytes = (await servers[0]?.usage())?.rssBytes ?? Number.NaN;
  const database = new Client({ connectionString: postgresUrl });
  const seeds = await createSeeds(database);
  return {
    name,
    servers,
    ports,
    idleBytes,
    tokenUrl: `${originOf(ports[0])}/api/oauth/token`,
    parameters: {
      ...commonParameters,
      exchange: {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
        subject_token_type: "urn:ietf:params:oauth:token-type:refresh_token",
        audience,
        resource,
        scope: "contracts:read",
      },
    },
    seedGrants: (keyPairs) => seeds.grants(keyPairs),
    seedCodes: (keyPairs, each) => seeds.codes(keyPairs, each),
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
      await database.end();
    },
  };
}
