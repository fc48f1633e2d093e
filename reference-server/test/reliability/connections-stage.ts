import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { createTestDatabase } from "../support/database.js";
import { createCommands } from "../support/processes.js";
import { startThirdParty, type ThirdParty } from "../support/third-party.js";
import { AccountHolder } from "./account-holder.js";
import {
  createInstallation,
  type Installation,
  type ObservedDatabase,
  type ServerProcess,
} from "./installation.js";
import { type IssuerAddress, openIssuerAddress } from "./issuer-address.js";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.js";
import { startThirdPartyGate, type ThirdPartyGate } from "./third-party-gate.js";

/** Everything that tests of connections need: several processes can be started, and each step of theirs can be held. */
export interface ConnectionsStage {
  readonly installation: Installation;
  readonly database: ObservedDatabase;
  /** Between the processes and the database. */
  readonly proxy: TcpProxy;
  readonly thirdParty: ThirdParty;
  /** Between the processes and the third party. */
  readonly gate: ThirdPartyGate;
  readonly address: IssuerAddress;
  readonly person: AccountHolder;
  /** Starts a process. */
  start(): Promise<ServerProcess>;
  /** Starts a process whose time limits do not end before it is killed, however slow the machine is. */
  startHeld(): Promise<ServerProcess>;
  /** Where everything goes from now on. */
  sendTo(server: ServerProcess): void;
  close(): Promise<void>;
}

const importing = (file: string) => `--import=${fileURLToPath(new URL(file, import.meta.url))}`;

/** The scopes at the third party. */
const connectorScopes = ["openid", "email", "offline_access", "notes:read", "notes:write"];

/** Lets somebody sign in at a process, which is the first one. `keys` are those of the connectors. */
export async function setConnectionsStage(
  keys: readonly string[],
): Promise<{ readonly stage: ConnectionsStage; readonly first: ServerProcess }> {
  const commands = createCommands();
  const testDatabase = await createTestDatabase();
  // The tests look so often that each look should not begin with a connection.
  const client = new Client({ connectionString: testDatabase.adminUrl });
  await client.connect();
  let latest: Promise<unknown> = Promise.resolve();
  const database: ObservedDatabase = {
    url: testDatabase.url,
    query(text, values) {
      const answer = latest.then(async () => (await client.query(text, values)).rows);
      latest = answer.catch(() => undefined);
      return answer;
    },
  };
  const { hostname: host, port } = new URL(database.url);
  const proxy = await startTcpProxy({ host, port: Number(port) });
  let thirdParty: ThirdParty | undefined;
  let gate: ThirdPartyGate | undefined;
  const installation = await createInstallation(commands, {
    database,
    databasePort: proxy.port,
    async defineConnectors(issuer) {
      thirdParty = await startThirdParty({
        redirectUris: keys.map((key) => `${issuer}/connections/callback/${key}`),
      });
      gate = await startThirdPartyGate(thirdParty);
      const parties = { thirdParty, gate };
      return keys.map((key) => defineConnector(key, parties));
    },
  });
  if (thirdParty === undefined || gate === undefined) throw new Error("The connectors were not defined.");
  const parties = { thirdParty, gate };
  const address = await openIssuerAddress(installation.issuer);
  const start = () => installation.start("beside", { NODE_OPTIONS: importing("./due-loops.mjs") });
  const startHeld = () =>
    installation.start("beside", {
      NODE_OPTIONS: importing("./long-limits.mjs"),
      AUTHZ_POSTGRES_STATEMENT_SECONDS: "300",
    });
  const first = await start();
  address.sendTo(first.origin);
  const person = await AccountHolder.signIn(installation.issuer, parties.gate);
  const stage: ConnectionsStage = {
    installation,
    database,
    proxy,
    ...parties,
    address,
    person,
    start,
    startHeld,
    sendTo: ({ origin }) => address.sendTo(origin),
    async close() {
      await installation.close();
      address.close();
      proxy.close();
      parties.gate.close();
      await parties.thirdParty.close();
      await client.end();
      await testDatabase.drop();
      commands.kill();
    },
  };
  return { stage, first };
}

function defineConnector(
  key: string,
  { thirdParty, gate }: { readonly thirdParty: ThirdParty; readonly gate: ThirdPartyGate },
): object {
  return {
    key,
    kind: "oauth2",
    name: key,
    issuer: thirdParty.issuer,
    authorizationEndpoint: `${thirdParty.issuer}/auth`,
    tokenEndpoint: gate.address(key, "/token"),
    revocationEndpoint: gate.address(key, "/token/revocation"),
    accountEndpoint: null,
    tokenEndpointAuthMethod: "client_secret_basic",
    authorizationParameters: { prompt: "consent" },
    clientId: thirdParty.client.id,
    clientSecret: thirdParty.client.secret,
    scopes: connectorScopes.map((scope) => ({ scope, required: true })),
    requestPrefixes: [gate.address(key, "/api")],
    methods: ["GET", "POST"],
    limits: { requestsPerMinute: 100_000 },
  };
}
