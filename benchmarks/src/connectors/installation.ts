import { randomBytes, randomUUID } from "node:crypto";
import { generateEs256KeyPair } from "@authz/dpop";
import { loadConfig } from "authz-server/dist/config/config.js";
import { sealTokens } from "authz-server/dist/connectors/refresh/stored-tokens.js";
import { createLog } from "authz-server/dist/platform/http/log.js";
import { createServer, type Server } from "authz-server/dist/server.js";
import { findFreePort } from "authz-tools/network";
import { Client } from "pg";
import { startDatabase } from "../authz/database.js";
import { clientOf, emailOf, signIn } from "../authz/people.js";
import { createSeeds, type Seeds } from "../authz/seed.js";
import { applyRegistry, migrate, originOf, serverEnvironment, startServer } from "../authz/start-server.js";
import type { AnsweringProcess } from "../child-process.js";
import type { Workplace } from "../frame.js";

/** authz-server with a connector to the API, and a person who is connected. */
export interface Installation {
  readonly server: AnsweringProcess;
  readonly issuer: string;
  readonly postgresUrl: string;
  /** Where requests through the connector go. */
  readonly url: string;
  /** The headers of that many requests, each with a proof of its own. */
  readonly credentials: (
    method: "GET" | "POST",
    count: number,
  ) => Promise<readonly Readonly<Record<string, string>>[]>;
}

/** Of the connector. */
export const connectorKey = "bench";

/** @param origin - of the API */
export async function startInstallation(
  { folder, keep }: Workplace,
  origin: string,
  more: {
    /** In it the first person may sign in. */
    readonly registry?: object;
    /** Stores more before the server starts; the people are there. */
    readonly seed?: (seeds: Seeds, database: Client) => Promise<void>;
    /** Options of Node.js for the server's process. */
    readonly execArgv?: readonly string[];
  } = {},
): Promise<Installation> {
  const database = keep(await startDatabase(folder));
  const postgresUrl = await database.create("connectors");
  const port = await findFreePort();
  const environment = {
    ...(await serverEnvironment({ postgresUrl, port })),
    AUTHZ_CONNECTOR_KEK: randomBytes(32).toString("base64"),
  };
  await migrate(postgresUrl);
  const registry = more.registry ?? { assignments: [{ email: emailOf(0), scopes: ["authz:login"] }] };
  await applyRegistry(environment, folder, registry);

  const client = new Client({ connectionString: postgresUrl });
  const seeds = await createSeeds(client);
  const keyPair = await generateEs256KeyPair();
  let [refreshToken = ""] = await seeds.grants([keyPair]);
  const { context, close } = await createServer(loadConfig(environment), { log: createLog("error") });
  await connect(context, { origin, userIds: [seeds.userId] });
  await close();
  await more.seed?.(seeds, client);
  await client.end();
  await database.analyze();

  const execArgv = more.execArgv ?? [];
  const server = keep(await startServer(environment, { folder, execArgv }));
  const issuer = originOf(port);
  const url = `${issuer}/api/me/connections/${connectorKey}/requests`;
  return {
    server,
    issuer,
    postgresUrl,
    url,
    async credentials(method, count) {
      // Once for each workload: access tokens live for five minutes.
      const person = await signIn({ keyPair, clientId: clientOf(0), refreshToken }, { issuer });
      ({ refreshToken } = person);
      return Array.from({ length: count }, () => person.credentials(method, url));
    },
  };
}

/** Stores what an administrator and the people would have done: a connector, and the connections of these people. */
export async function connect(
  { store, connectorVault: vault }: Server["context"],
  { origin, userIds }: { readonly origin: string; readonly userIds: readonly string[] },
): Promise<void> {
  const now = new Date();
  const connector = {
    id: randomUUID(),
    key: connectorKey,
    name: "Benchmark",
    kind: "oauth2",
    issuer: null,
    authorizationEndpoint: `${origin}/authorize`,
    tokenEndpoint: `${origin}/token`,
    revocationEndpoint: null,
    accountEndpoint: null,
    tokenEndpointAuthMethod: "none",
    authorizationParameters: {},
    clientId: "authz",
    clientSecret: null,
    scopes: [],
    requiredScopes: [],
    requestPrefixes: [`${origin}/v1`],
    methods: ["GET", "POST"],
    requestHeaders: [],
    pathTemplates: ["/v1/bytes/{count}"],
    limits: {
      requestBytes: 10 * 1024 * 1024,
      responseBytes: 10 * 1024 * 1024,
      timeoutSeconds: 60,
      requestsPerMinute: 100_000,
    },
    rules: [],
    enabled: true,
  } as const;
  await store.connectors.save(connector, now);
  for (const userId of userIds) {
    const connection = { id: randomUUID(), connectorId: connector.id, userId };
    const tokens = { accessToken: randomBytes(64).toString("base64url"), refreshToken: undefined };
    await store.connections.save({
      ...connection,
      account: { subject: null, label: null },
      credentials: await sealTokens(tokens, { connection, connector, vault }),
      grantedScopes: [],
      accessExpiresAt: null,
      refreshable: false,
      now,
    });
  }
}
