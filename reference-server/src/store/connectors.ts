import { connectorRow, type Envelope } from "../platform/vault/envelope.js";
import { type ConnectionCounts, connectionCountsSql } from "./connections.js";
import { containsPattern, type Page, type PageColumns, type PageRequest, selectPage } from "./page.js";
import { type Database, prepared } from "./postgres/database.js";
import { createRewrapStore } from "./rewraps.js";

export const connectorKinds = [
  "google",
  "microsoft-graph",
  "atlassian",
  "github",
  "slack",
  "oauth2",
] as const;

export type ConnectorKind = (typeof connectorKinds)[number];

/** The methods that a connector can allow. */
export const connectorMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

export type ConnectorMethod = (typeof connectorMethods)[number];

/** A scope of the third party that a person can grant. */
export interface ConnectorScope {
  readonly scope: string;
  readonly description: string | null;
  /** Cannot be left out. */
  readonly required: boolean;
  readonly byDefault: boolean;
}

/** How much one forwarded request may take. */
export interface ConnectorLimits {
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly timeoutSeconds: number;
  /** Of one person. */
  readonly requestsPerMinute: number;
}

/** A third party that people can connect accounts of, and the rules for using them. */
export interface Connector {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly kind: ConnectorKind;
  readonly issuer: string | null;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string | null;
  /** Says who the connected account is. */
  readonly accountEndpoint: string | null;
  readonly tokenEndpointAuthMethod: ConnectorAuthMethod;
  /** Sent along with every authorization request. */
  readonly authorizationParameters: Readonly<Record<string, string>>;
  readonly clientId: string;
  /** Sealed for `connectorRow(id)`; `null` for a client without one. */
  readonly clientSecret: Envelope | null;
  readonly scopes: readonly ConnectorScope[];
  /** Scopes of this installation that a person needs, all of them. */
  readonly requiredScopes: readonly string[];
  /** Absolute URLs: the origin exactly, the path by whole segments. */
  readonly requestPrefixes: readonly string[];
  /** Upper case. */
  readonly methods: readonly string[];
  /** Such as `/repos/{owner}/{repo}`: what the audit trail says instead of a path. */
  readonly pathTemplates: readonly string[];
  readonly limits: ConnectorLimits;
  readonly enabled: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}

export type ConnectorAuthMethod = "client_secret_basic" | "client_secret_post" | "none";

/**
 * What is written of a connector. When `clientSecret` is absent, it stays as it is stored: writing back what was read
 * would undo a re-wrapping that happened meanwhile.
 */
export type ConnectorFields = Omit<Connector, "clientSecret" | "createdAt" | "updatedAt" | "version"> & {
  readonly clientSecret?: Envelope | null;
};

/** A connector as administrators see it. */
export interface ListedConnector extends Connector {
  readonly connections: ConnectionCounts;
}

export type ConnectorListRequest = PageRequest<"key" | "name"> & { readonly enabled: boolean | undefined };

export interface ConnectorRow {
  id: string;
  key: string;
  name: string;
  kind: ConnectorKind;
  issuer: string | null;
  authorization_endpoint: string;
  token_endpoint: string;
  revocation_endpoint: string | null;
  account_endpoint: string | null;
  token_endpoint_auth_method: ConnectorAuthMethod;
  authorization_parameters: Record<string, string>;
  client_id: string;
  key_id: string | null;
  wrapped_key: Buffer | null;
  client_secret: Buffer | null;
  scopes: ConnectorScope[];
  required_scopes: string[];
  request_prefixes: string[];
  methods: string[];
  path_templates: string[];
  request_bytes: number;
  response_bytes: number;
  timeout_seconds: number;
  requests_per_minute: number;
  enabled: boolean;
  version: number;
  created_at: Date;
  updated_at: Date;
}

/** By name: a prepared "*" would fail in running processes when a migration adds a column. */
export const connectorColumns = [
  "id",
  "key",
  "name",
  "kind",
  "issuer",
  "authorization_endpoint",
  "token_endpoint",
  "revocation_endpoint",
  "account_endpoint",
  "token_endpoint_auth_method",
  "authorization_parameters",
  "client_id",
  "key_id",
  "wrapped_key",
  "client_secret",
  "scopes",
  "required_scopes",
  "request_prefixes",
  "methods",
  "path_templates",
  "request_bytes",
  "response_bytes",
  "timeout_seconds",
  "requests_per_minute",
  "enabled",
  "version",
  "created_at",
  "updated_at",
] as const satisfies readonly (keyof ConnectorRow)[];

const byKeySql = `SELECT ${connectorColumns.join(", ")} FROM connectors WHERE key = $1`;

const pageColumns: PageColumns<"key" | "name"> = {
  id: { sql: "c.id", type: "uuid" },
  sorts: { key: { sql: "c.key", type: "text" }, name: { sql: "lower(c.name)", type: "text" } },
};

type ListedRow = ConnectorRow & { connections: ConnectionCounts };

export function connectorFromRow(row: ConnectorRow): Connector {
  const { key_id: keyId, wrapped_key: wrappedKey, client_secret: ciphertext } = row;
  const sealed = keyId !== null && wrappedKey !== null && ciphertext !== null;
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    kind: row.kind,
    issuer: row.issuer,
    authorizationEndpoint: row.authorization_endpoint,
    tokenEndpoint: row.token_endpoint,
    revocationEndpoint: row.revocation_endpoint,
    accountEndpoint: row.account_endpoint,
    tokenEndpointAuthMethod: row.token_endpoint_auth_method,
    authorizationParameters: row.authorization_parameters,
    clientId: row.client_id,
    clientSecret: sealed ? { keyId, wrappedKey, ciphertext } : null,
    scopes: row.scopes,
    requiredScopes: row.required_scopes,
    requestPrefixes: row.request_prefixes,
    methods: row.methods,
    pathTemplates: row.path_templates,
    limits: {
      requestBytes: row.request_bytes,
      responseBytes: row.response_bytes,
      timeoutSeconds: row.timeout_seconds,
      requestsPerMinute: row.requests_per_minute,
    },
    enabled: row.enabled,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  };
}

export function createConnectorStore(database: Database) {
  const connectors = () => database<ConnectorRow>("connectors");
  const listed = () =>
    database("connectors AS c").select(
      ...connectorColumns.map((column) => `c.${column}`),
      database.raw(`${connectionCountsSql} AS connections`),
    );

  return {
    ...createRewrapStore(database, { table: "connectors", rowOf: ({ id }) => connectorRow(id) }),
    async find(id: string): Promise<Connector | undefined> {
      const row = await connectors().first().where({ id });
      return row && connectorFromRow(row);
    },
    async findByKey(key: string): Promise<Connector | undefined> {
      const statement = { name: "connector_by_key", text: byKeySql, values: [key] };
      const [row] = await prepared<ConnectorRow>(database, statement);
      return row && connectorFromRow(row);
    },
    /** Every enabled connector, by key. */
    async listEnabled(): Promise<readonly Connector[]> {
      const rows = await connectors().where({ enabled: true }).orderBy("key");
      return rows.map(connectorFromRow);
    },
    /** Lets nobody change it before the transaction ends. Returns whether it is there. */
    async lock(id: string): Promise<boolean> {
      return (await connectors().select("id").where({ id }).forUpdate()).length > 0;
    },
    /** Inserts or replaces the row with this id. */
    async save(connector: ConnectorFields, at: Date): Promise<void> {
      const { id, ...row } = toRow(connector);
      await database("connectors")
        .insert({ id, ...row, created_at: at, updated_at: at })
        .onConflict("id")
        .merge({ ...row, updated_at: at, version: database.raw("connectors.version + 1") });
    },
    /** `q` is looked for in key, name and kind. */
    async list({ enabled, ...request }: ConnectorListRequest): Promise<Page<ListedConnector>> {
      const query = listed();
      if (enabled !== undefined) void query.where("c.enabled", enabled);
      if (request.q !== undefined) {
        const searched = "lower(c.key || ' ' || c.name || ' ' || c.kind) LIKE ?";
        void query.whereRaw(searched, [containsPattern(request.q)]);
      }
      const page = await selectPage<ListedRow, "key" | "name">(query, { columns: pageColumns, request });
      return { ...page, items: page.items.map(listedFromRow) };
    },
    async describe(key: string): Promise<ListedConnector | undefined> {
      const [row] = (await listed().where("c.key", key)) as ListedRow[];
      return row && listedFromRow(row);
    },
    async count(): Promise<number> {
      const [row] = await database("connectors").count<{ count: string }[]>();
      return Number(row?.count);
    },
    /** Call it for a connector without connections. Attempts that are on their way go with it. */
    async remove(id: string): Promise<void> {
      await database("connectors").where({ id }).delete();
    },
  };
}

function toRow({ clientSecret, limits, ...connector }: ConnectorFields) {
  return {
    id: connector.id,
    key: connector.key,
    name: connector.name,
    kind: connector.kind,
    issuer: connector.issuer,
    authorization_endpoint: connector.authorizationEndpoint,
    token_endpoint: connector.tokenEndpoint,
    revocation_endpoint: connector.revocationEndpoint,
    account_endpoint: connector.accountEndpoint,
    token_endpoint_auth_method: connector.tokenEndpointAuthMethod,
    authorization_parameters: JSON.stringify(connector.authorizationParameters),
    client_id: connector.clientId,
    ...(clientSecret !== undefined && {
      key_id: clientSecret?.keyId ?? null,
      wrapped_key: clientSecret?.wrappedKey ?? null,
      client_secret: clientSecret?.ciphertext ?? null,
    }),
    scopes: JSON.stringify(connector.scopes),
    required_scopes: [...connector.requiredScopes],
    request_prefixes: [...connector.requestPrefixes],
    methods: [...connector.methods],
    path_templates: [...connector.pathTemplates],
    request_bytes: limits.requestBytes,
    response_bytes: limits.responseBytes,
    timeout_seconds: limits.timeoutSeconds,
    requests_per_minute: limits.requestsPerMinute,
    enabled: connector.enabled,
  };
}

function listedFromRow({ connections, ...row }: ListedRow) {
  return { ...connectorFromRow(row), connections };
}
