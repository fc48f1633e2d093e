import type { Connector, ConnectorAuthMethod, ConnectorKind, ConnectorScope } from "../connectors.js";

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
