import type { CallRule } from "../rules/call-rule.js";
import { type ConnectionCounts, connectionCountsSql } from "./connections.js";
import { type ConnectorTest, connectorTestSql } from "./connector-tests.js";
import { type Owner, ownersSql } from "./owners.js";
import { type Page, type PageColumns, type PageRequest, selectPage, whereContains } from "./page.js";
import { type Database, prepared } from "./postgres/database.js";
import {
  defineTable,
  json,
  LinkedScopes,
  saveVersioned,
  type Versioned,
  versionColumns,
} from "./postgres/table.js";

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

/** Whether a connector can allow a method at all. */
export function isConnectorMethod(method: string): method is ConnectorMethod {
  return connectorMethods.some((known) => known === method);
}

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
export interface Connector extends Versioned {
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
  readonly clientSecret: Buffer | null;
  readonly scopes: readonly ConnectorScope[];
  /** Scopes of this installation that a person needs, all of them. */
  readonly requiredScopes: readonly string[];
  /** Absolute URLs: the origin exactly, the path by whole segments. */
  readonly requestPrefixes: readonly string[];
  /** Lower-case names of request headers that go on beside the usual ones. */
  readonly requestHeaders: readonly string[];
  readonly methods: readonly ConnectorMethod[];
  /** Such as `/repos/{owner}/{repo}`: what the audit trail says instead of a path. */
  readonly pathTemplates: readonly string[];
  readonly limits: ConnectorLimits;
  /** Which requests of agents are allowed, asked about or refused. */
  readonly rules: readonly CallRule[];
  readonly enabled: boolean;
}

export type ConnectorAuthMethod = "client_secret_basic" | "client_secret_post" | "none";

/**
 * What is written of a connector. When `clientSecret` is absent, it stays as it is stored: writing back what was read
 * would undo a re-wrapping that happened meanwhile.
 */
export type ConnectorFields = Omit<Connector, "clientSecret" | "createdAt" | "updatedAt" | "version"> & {
  readonly clientSecret?: Buffer | null;
};

/** A connector as administrators see it. */
export interface ListedConnector extends Connector {
  readonly owners: readonly Owner[];
  readonly connections: ConnectionCounts;
  /** What the third party said of its credentials; `null`: untested since they were changed. */
  readonly test: ConnectorTest | null;
}

type ConnectorListRequest = PageRequest<"key" | "name"> & {
  readonly enabled: boolean | undefined;
  /** Only these; all when absent. */
  readonly ids?: readonly string[] | undefined;
};

const requiredScopes = new LinkedScopes("connector_scopes", "connector_id");

export const connectorTable = defineTable<Connector>(
  "connectors",
  {
    id: "id",
    key: "key",
    name: "name",
    kind: "kind",
    issuer: "issuer",
    authorizationEndpoint: "authorization_endpoint",
    tokenEndpoint: "token_endpoint",
    revocationEndpoint: "revocation_endpoint",
    accountEndpoint: "account_endpoint",
    tokenEndpointAuthMethod: "token_endpoint_auth_method",
    authorizationParameters: json("authorization_parameters"),
    clientId: "client_id",
    clientSecret: "client_secret",
    scopes: json("scopes"),
    requiredScopes,
    requestPrefixes: "request_prefixes",
    requestHeaders: "request_headers",
    methods: "methods",
    pathTemplates: "path_templates",
    limits: {
      requestBytes: "request_bytes",
      responseBytes: "response_bytes",
      timeoutSeconds: "timeout_seconds",
      requestsPerMinute: "requests_per_minute",
    },
    rules: json("rules"),
    enabled: "enabled",
    ...versionColumns,
  },
  { dates: ["createdAt", "updatedAt"], bytes: ["clientSecret"] },
);

const byKeySql = `SELECT ${connectorTable.select()} FROM connectors WHERE key = $1`;

/** There are a hundred connectors at most, so what is looked for needs no index. */
const pageColumns: PageColumns<"key" | "name"> = {
  id: { sql: "c.id", type: "uuid" },
  sorts: { key: { sql: "c.key", type: "text" }, name: { sql: "lower(c.name)", type: "text" } },
};

type ListedRow = Pick<ListedConnector, "connections" | "owners"> & {
  /** Comes as JSON. */
  readonly test: (Omit<ConnectorTest, "testedAt"> & { readonly testedAt: string }) | null;
};

export function createConnectorStore(database: Database) {
  const connectors = () => database("connectors").select<object[]>(database.raw(connectorTable.select()));
  const listed = () =>
    database("connectors AS c").select<ListedRow[]>(
      database.raw(
        `${connectorTable.select("c")}, ${ownersSql("connector_id", "c.id")} AS owners,
          ${connectionCountsSql} AS connections, ${connectorTestSql} AS test`,
      ),
    );
  const listedFromRow = (row: ListedRow): ListedConnector => ({
    ...connectorTable.fromRow(row),
    owners: row.owners,
    connections: row.connections,
    test: row.test && { ...row.test, testedAt: new Date(row.test.testedAt) },
  });

  return {
    async find(id: string): Promise<Connector | undefined> {
      const [row] = await connectors().where({ id });
      return row && connectorTable.fromRow(row);
    },
    async findByKey(key: string): Promise<Connector | undefined> {
      const statement = { name: "connector_by_key", text: byKeySql, values: [key] };
      const [row] = await prepared<object>(database, statement);
      return row && connectorTable.fromRow(row);
    },
    /** Every enabled connector, by key. */
    async listEnabled(): Promise<readonly Connector[]> {
      const rows = await connectors().where({ enabled: true }).orderBy("key");
      return rows.map((row) => connectorTable.fromRow(row));
    },
    /** Locks the row until the transaction ends. Returns whether it exists. */
    async lock(id: string): Promise<boolean> {
      return (await database("connectors").select("id").where({ id }).forUpdate()).length > 0;
    },
    /** Inserts or replaces the row with this id. */
    async save(connector: ConnectorFields, at: Date): Promise<void> {
      await saveVersioned(database, "connectors", { row: connectorTable.toRow(connector), at });
      await requiredScopes.save(database, connector.id, connector.requiredScopes);
    },
    /** `q` is looked for in key, name and kind. */
    async list({ enabled, ids, ...request }: ConnectorListRequest): Promise<Page<ListedConnector>> {
      const query = listed();
      if (ids !== undefined) void query.whereIn("c.id", [...ids]);
      if (enabled !== undefined) void query.where("c.enabled", enabled);
      whereContains(query, "c.key || ' ' || c.name || ' ' || c.kind", request.q);
      const page = await selectPage<ListedRow, "key" | "name">(query, { columns: pageColumns, request });
      return { ...page, items: page.items.map(listedFromRow) };
    },
    async describe(key: string): Promise<ListedConnector | undefined> {
      const [row] = await listed().where("c.key", key);
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
