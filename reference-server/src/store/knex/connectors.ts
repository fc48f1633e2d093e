import { connectorRow } from "../../platform/vault/envelope.js";
import type { ConnectorFields, ConnectorStore } from "../connectors.js";
import { createConnectorListStore } from "./connector-list.js";
import { type ConnectorRow, connectorColumns, connectorFromRow } from "./connector-rows.js";
import { type Database, prepared } from "./database.js";
import { createRewrapStore } from "./rewraps.js";

const byKeySql = `SELECT ${connectorColumns.join(", ")} FROM connectors WHERE key = $1`;

export function createConnectorStore(database: Database): ConnectorStore {
  const connectors = () => database<ConnectorRow>("connectors");

  return {
    ...createConnectorListStore(database),
    ...createRewrapStore(database, { table: "connectors", rowOf: ({ id }) => connectorRow(id) }),

    async find(id) {
      const row = await connectors().first().where({ id });
      return row && connectorFromRow(row);
    },
    async findByKey(key) {
      const statement = { name: "connector_by_key", text: byKeySql, values: [key] };
      const [row] = await prepared<ConnectorRow>(database, statement);
      return row && connectorFromRow(row);
    },
    async listEnabled() {
      const rows = await connectors().where({ enabled: true }).orderBy("key");
      return rows.map(connectorFromRow);
    },
    async lock(id) {
      return (await connectors().select("id").where({ id }).forUpdate()).length > 0;
    },
    async save(connector, at) {
      const { id, ...row } = toRow(connector);
      await database("connectors")
        .insert({ id, ...row, created_at: at, updated_at: at })
        .onConflict("id")
        .merge({ ...row, updated_at: at, version: database.raw("connectors.version + 1") });
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
