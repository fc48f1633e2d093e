import { randomBytes, randomUUID } from "node:crypto";
import { packSealed } from "../../src/platform/vault/sealed.js";
import type { Connection, NewCredentials } from "../../src/store/connections.js";
import type { ConnectorFields } from "../../src/store/connectors.js";
import type { Store } from "../../src/store/store.js";
import { systemScopes } from "../../src/store/system-scopes.js";

/** What `testConnector` requires, for a database that no server has prepared. */
export async function saveSystemScopes(store: Pick<Store, "scopes">, at: Date): Promise<void> {
  await Promise.all(systemScopes.map((scope) => store.scopes.insertMissing(scope, at)));
}

/** A connector that is right in every respect. Each test changes what it is about. */
export function testConnector(changes: Partial<ConnectorFields> = {}): ConnectorFields {
  const id = randomUUID();
  return {
    id,
    key: `c-${id.slice(0, 8)}`,
    name: "Notes",
    kind: "oauth2",
    issuer: null,
    authorizationEndpoint: "https://notes.example/authorize",
    tokenEndpoint: "https://notes.example/token",
    revocationEndpoint: null,
    accountEndpoint: null,
    tokenEndpointAuthMethod: "client_secret_basic",
    authorizationParameters: { prompt: "consent" },
    clientId: "authz",
    clientSecret: null,
    scopes: [{ scope: "notes.read", description: "Read notes", required: true, byDefault: true }],
    requiredScopes: ["authz:login"],
    requestPrefixes: ["https://api.notes.example/v1"],
    methods: ["GET", "POST"],
    requestHeaders: [],
    pathTemplates: ["/notes/{id}"],
    limits: {
      requestBytes: 10_485_760,
      responseBytes: 10_485_760,
      // The most: a busy machine may be much slower than a quiet one.
      timeoutSeconds: 300,
      requestsPerMinute: 600,
    },
    rules: [],
    enabled: true,
    ...changes,
  };
}

/** A sealed value that no key opens, for tests that only store it. */
export function testSealed(keyId = missingKeyId): Buffer {
  return packSealed({ key: { keyId, wrapped: randomBytes(60) }, ciphertext: randomBytes(80) });
}

/** The id of a key that no server has. */
export const missingKeyId = "env:0000000000000000";

/** SQL: what is sealed with a key of the environment, as if a missing key had sealed it. */
export const underMissingKey = (column: string): string =>
  `overlay(${column} PLACING '${missingKeyId}'::bytea FROM 6)`;

export function testCredentials(changes: Partial<NewCredentials> = {}): NewCredentials {
  return {
    credentials: testSealed(),
    grantedScopes: ["notes.read"],
    accessExpiresAt: null,
    refreshable: true,
    ...changes,
  };
}

/** Connects somebody to a connector. */
export async function connect(
  store: Pick<Store, "connections">,
  input: { connectorId: string; userId: string; now: Date; id?: string } & Partial<NewCredentials>,
): Promise<Connection> {
  const { connectorId, userId, now, id = randomUUID(), ...changes } = input;
  const saved = await store.connections.save({
    id,
    connectorId,
    userId,
    account: { subject: "u-1", label: "ada@notes.example" },
    now,
    ...testCredentials(changes),
  });
  if (saved === undefined) throw new Error("the connection was not stored");
  return saved;
}
