import { execFile } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { openSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { createProofSigner, type Es256KeyPair, generateEs256KeyPair } from "@authz/dpop";
import { loadConfig } from "authz-server/dist/config/config.js";
import { sealTokens } from "authz-server/dist/connectors/refresh/stored-tokens.js";
import { createLog } from "authz-server/dist/platform/http/log.js";
import { createServer, type Server } from "authz-server/dist/server.js";
import { findFreePort } from "authz-tools/network";
import { Client } from "pg";
import { serverEnvironment, waitUntilServing } from "../authz-server.js";
import { createSeeds } from "../grants/authz/seed.js";
import { type AnsweringProcess, startProcess } from "../grants/child-process.js";
import { startDatabase } from "../grants/database.js";
import { clientOf, emailOf } from "../grants/load.js";

/** authz-server with a connector to the API, and a person who is connected. */
export interface Installation {
  readonly server: AnsweringProcess;
  readonly issuer: string;
  readonly postgresUrl: string;
  /** Where requests through the connector go. */
  readonly url: string;
  /** The headers of that many requests, each with a proof of its own. */
  credentials(method: "GET" | "POST", count: number): Promise<readonly Record<string, string>[]>;
  stop(): Promise<void>;
}

const email = emailOf(0);
const clientId = clientOf(0);
const key = "bench";

export interface InstallationOptions {
  /** Stores more before the server starts; the people are there. */
  readonly seed?: (context: Server["context"], database: Client) => Promise<void>;
  /** Options of Node.js for the server's process. */
  readonly execArgv?: readonly string[];
}

/** @param origin - of the API */
export async function startInstallation(
  folder: string,
  origin: string,
  { seed, execArgv = [] }: InstallationOptions = {},
): Promise<Installation> {
  const database = await startDatabase(folder);
  const postgresUrl = await database.create("connectors");
  const port = await findFreePort();
  const env: Record<string, string> = {
    ...(await serverEnvironment({ postgresUrl, port })),
    AUTHZ_CONNECTOR_KEK: randomBytes(32).toString("base64"),
  };
  const command = createRequire(import.meta.url).resolve("authz-server/bin/authz-server.js");
  await promisify(execFile)(process.execPath, [command.replace("authz-server.js", "authz-migrate.js")], {
    env: { ...process.env, ...env },
  });
  const registryFile = join(folder, "registry.json");
  writeFileSync(registryFile, JSON.stringify({ assignments: [{ email, scopes: ["authz:login"] }] }));
  await promisify(execFile)(process.execPath, [command, "apply", "--file", registryFile], {
    env: { ...process.env, ...env },
  });

  const client = new Client({ connectionString: postgresUrl });
  const seeds = await createSeeds(client);
  const keyPair = await generateEs256KeyPair();
  const [refreshToken = ""] = await seeds.grants([keyPair]);
  const { context, close } = await createServer(loadConfig(env), { log: createLog("error") });
  await connect(context, { origin, userId: seeds.userId });
  await seed?.(context, client);
  await close();
  await client.end();
  await database.analyze();

  const log = openSync(join(folder, "server.log"), "a");
  const hook = new URL("../grants/authz/usage-hook.js", import.meta.url).href;
  const server = startProcess(command, [], {
    env: { ...process.env, ...env },
    execArgv: ["--import", hook, ...execArgv],
    stdio: ["ignore", log, log, "ipc"],
  });
  const issuer = `http://127.0.0.1:${port}`;
  await waitUntilServing(`${issuer}/.well-known/openid-configuration`, server.process);
  const url = `${issuer}/api/me/connections/${key}/requests`;
  const logIn = createLogIn({ issuer, keyPair, refreshToken });
  return {
    server,
    issuer,
    postgresUrl,
    url,
    async credentials(method, count) {
      const accessToken = await logIn();
      const signer = createProofSigner(keyPair);
      return Array.from({ length: count }, () => ({
        authorization: `DPoP ${accessToken}`,
        dpop: signer.sign({ method, url, accessToken }),
      }));
    },
    async stop() {
      await server.stop();
      await database.stop();
    },
  };
}

/** Stores what an administrator and the person would have done. */
async function connect(
  context: Server["context"],
  { origin, userId }: { readonly origin: string; readonly userId: string },
): Promise<void> {
  const now = new Date();
  const connector = {
    id: randomUUID(),
    key,
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
    enabled: true,
  } as const;
  await context.store.connectors.save(connector, now);
  const connection = { id: randomUUID(), connectorId: connector.id, userId };
  const tokens = { accessToken: randomBytes(64).toString("base64url"), refreshToken: undefined };
  const vault = context.connectorVault;
  await context.store.connections.save({
    ...connection,
    account: { subject: null, label: null },
    credentials: await sealTokens(tokens, { connection, connector, vault }),
    grantedScopes: [],
    accessExpiresAt: null,
    refreshable: false,
    now,
  });
}

/** Refreshes once for each workload: access tokens live for five minutes. */
function createLogIn(device: {
  readonly issuer: string;
  readonly keyPair: Es256KeyPair;
  readonly refreshToken: string;
}): () => Promise<string> {
  const { issuer, keyPair } = device;
  let { refreshToken } = device;
  return async () => {
    const url = `${issuer}/api/oauth/token`;
    const response = await fetch(url, {
      method: "POST",
      headers: { dpop: createProofSigner(keyPair).sign({ method: "POST", url }) },
      body: new URLSearchParams({
        grant_type: "refresh_token",
        client_id: clientId,
        refresh_token: refreshToken,
      }),
    });
    const answer = (await response.json()) as { access_token: string; refresh_token: string };
    if (!response.ok) throw new Error(`The refresh was answered with ${response.status}.`);
    refreshToken = answer.refresh_token;
    return answer.access_token;
  };
}
