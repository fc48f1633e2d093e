import type { Resource, ResourceStore } from "../resources.js";
import { type Database, prepared } from "./database.js";

const supportedScopes = `
  ARRAY(SELECT scope_key FROM resource_scopes WHERE resource_id = resources.id ORDER BY scope_key) AS supported_scopes`;

// Columns by name: a prepared "*" would fail in running processes when a migration adds a column.
const byIdentifierSql = `
  SELECT id, key, name, resource, authorization_server, client_id, request_prefixes, enabled, skill_discovery,
    allows_bearer, ${supportedScopes}
  FROM resources WHERE resource = $1`;

interface ResourceRow {
  id: string;
  key: string;
  name: string;
  resource: string;
  authorization_server: string;
  client_id: string;
  request_prefixes: string[];
  enabled: boolean;
  skill_discovery: boolean;
  allows_bearer: boolean;
}

type FullRow = ResourceRow & { supported_scopes: string[] };

export function createResourceStore(database: Database): ResourceStore {
  const resources = () =>
    database("resources").select<FullRow[]>("resources.*", database.raw(supportedScopes));

  return {
    async findByKey(key) {
      const [row] = await resources().where({ key });
      return row && fromRow(row);
    },
    async findByIdentifier(resource) {
      const statement = { name: "resource_by_identifier", text: byIdentifierSql, values: [resource] };
      const [row] = await prepared<FullRow>(database, statement);
      return row && fromRow(row);
    },
    async listEnabled() {
      const rows = await resources().where({ enabled: true }).orderBy("key");
      return rows.map(fromRow);
    },
    async save(resource, at) {
      const { id, ...row } = toRow(resource);
      await database("resources")
        .insert({ id, ...row, created_at: at, updated_at: at })
        .onConflict("id")
        .merge({ ...row, updated_at: at, version: database.raw("resources.version + 1") });
      await database("resource_scopes").where({ resource_id: id }).delete();
      const scopes = resource.supportedScopes.map((scope) => ({ resource_id: id, scope_key: scope }));
      if (scopes.length > 0) await database("resource_scopes").insert(scopes);
    },
  };
}

function fromRow(row: FullRow): Resource {
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    resource: row.resource,
    authorizationServer: row.authorization_server,
    clientId: row.client_id,
    requestPrefixes: row.request_prefixes,
    supportedScopes: row.supported_scopes,
    enabled: row.enabled,
    skillDiscovery: row.skill_discovery,
    allowsBearer: row.allows_bearer,
  };
}

function toRow(resource: Resource): ResourceRow {
  return {
    id: resource.id,
    key: resource.key,
    name: resource.name,
    resource: resource.resource,
    authorization_server: resource.authorizationServer,
    client_id: resource.clientId,
    request_prefixes: [...resource.requestPrefixes],
    enabled: resource.enabled,
    skill_discovery: resource.skillDiscovery,
    allows_bearer: resource.allowsBearer,
  };
}
