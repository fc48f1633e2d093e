import { randomUUID } from "node:crypto";
import {
  type DevIdp,
  type DevIdpClient,
  developmentPeople,
  generateSecrets,
  type Person,
  startDevIdp,
} from "@authz/dev-idp";
import { loadConfig } from "../../src/config/config.js";
import { createLog } from "../../src/platform/http/log.js";
import { createServer, type Server, type ServerOptions } from "../../src/server.js";
import { patience } from "./server.js";
import type { Resource } from "../../src/store/resources.js";
import { createTestDatabase, type TestDatabase } from "./database.js";
import { testEnvironment } from "./environment.js";
import { resourceRecord } from "./records.js";
import { findFreePort } from "../../../tools/src/network/ports.js";

/** A running server with a company's sign-in, people, permissions and one registered service. */
export interface OauthServer {
  readonly issuer: string;
  readonly server: Server;
  readonly database: TestDatabase;
  readonly idp: DevIdp;
  readonly resource: Resource;
  readonly log: readonly Record<string, unknown>[];
  /** Moves the clock of every instance; the clients of these tests live in real time. */
  advance(seconds: number): void;
  /** Another process of the same installation: same database, same keys, its own port. Returns its origin. */
  startSecondInstance(): Promise<string>;
  /** Every process of the installation, the first one first. */
  readonly instances: readonly Server[];
  audit(type?: string): Promise<AuditRow[]>;
  close(): Promise<void>;
}

export interface AuditRow {
  readonly type: string;
  readonly outcome: string;
  readonly subject: string | null;
  readonly data: Record<string, unknown>;
}

const people: readonly Person[] = [
  ...developmentPeople,
  { id: "dora", name: "Dora Unverified", email: "dora@acme.example", emailVerified: false },
  { id: "emil", name: "Emil Elsewhere", email: "emil@elsewhere.example" },
  { id: "fred", name: "Fred <b>&\"'", email: "fred@acme.example" },
];

/** Its RSA key takes longer than everything else that a test file starts with. */
const secrets = generateSecrets();

/**
 * Starts everything on free ports. Ada may log in and read; Fred may log in only; Bruno may nothing.
 *
 * @param variables - what the environment has besides
 * @param clientsOf - what else signs people in at the company's provider
 * @param limits - of concurrent requests, and of other servers' time
 */
export async function startOauthServer(
  variables: Readonly<Record<string, string>> = {},
  clientsOf: (issuer: string) => readonly DevIdpClient[] = () => [],
  limits: Pick<ServerOptions, "loadLimits" | "bodyLimits" | "timeoutFactor"> = {},
): Promise<OauthServer> {
  const database = await createTestDatabase();
  const port = await findFreePort();
  const issuer = `http://127.0.0.1:${port}`;
  const clientSecret = "dev-idp-secret";
  const idp = await startDevIdp({
    people,
    secrets: await secrets,
    clients: [
      { clientId: "authz", clientSecret, redirectUris: [`${issuer}/sign-in/callback`] },
      ...clientsOf(issuer),
    ],
  });
  const log: Record<string, unknown>[] = [];
  let offset = 0;
  const clock = () => Date.now() + offset;
  const createInstance = async (instancePort: number) => {
    const environment = {
      POSTGRES_URL: database.url,
      AUTHZ_ISSUER: issuer,
      AUTHZ_PORT: String(instancePort),
      ...variables,
    };
    const config = loadConfig(testEnvironment(environment));
    const destination = {
      write: (line: string) => void log.push(JSON.parse(line) as Record<string, unknown>),
    };
    const options = {
      log: createLog(config.logLevel, destination),
      clock,
      timeoutFactor: patience,
      ...limits,
    };
    return await createServer(config, options);
  };

  const server = await createInstance(port);
  await server.start();
  const resource = await register(server, { idp, clientSecret });
  const instances = [server];
  return {
    issuer,
    server,
    database,
    idp,
    resource,
    log,
    instances,
    advance: (seconds) => void (offset += seconds * 1000),
    async startSecondInstance() {
      const other = await createInstance(0);
      instances.push(other);
      return await other.start();
    },
    audit: (type) =>
      database.query(
        "SELECT type, outcome, subject, data FROM audit_events WHERE $1::text IS NULL OR type = $1 ORDER BY id",
        [type ?? null],
      ),
    async close() {
      await Promise.all(instances.map((instance) => instance.close()));
      await idp.close();
      await database.drop();
    },
  };
}

async function register(
  { context }: Server,
  { idp, clientSecret }: { idp: DevIdp; clientSecret: string },
): Promise<Resource> {
  const { store, credentials } = context;
  const at = new Date();
  await store.settings.save({ installationName: "Acme" }, at);
  const id = randomUUID();
  await store.identityProviders.save(
    {
      id,
      key: "acme",
      name: "Acme accounts",
      issuer: idp.issuer,
      clientId: "authz",
      clientSecret: await credentials.seal(clientSecret, `identity_providers/${id}`),
      tokenEndpointAuthMethod: null,
      discoveryUrl: null,
      scopes: ["openid", "profile", "email"],
      allowedEmailDomains: ["acme.example"],
      enabled: true,
    },
    at,
  );
  for (const key of ["contracts:read", "contracts:write", "invoices:read"]) {
    await store.scopes.save({ key, description: key, system: false }, at);
  }
  const assignments = { ada: ["authz:login", "contracts:read"], fred: ["authz:login"] };
  for (const [name, scopes] of Object.entries(assignments)) {
    for (const scope of scopes) {
      await store.assignments.insertMissing({ id: randomUUID(), email: `${name}@acme.example`, scope }, at);
    }
  }
  const resource = resourceRecord({
    id: randomUUID(),
    authorizationServer: "http://127.0.0.1:3101",
    supportedScopes: ["contracts:read", "contracts:write"],
  });
  await store.resources.save(resource, at);
  return resource;
}
