import type { Resource, ResourceStore } from "../resources.js";
import type { Database } from "./database.js";

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

export function createResourceStore(database: Database): ResourceStore {
  const resources = () =>
    database("resources").select<(ResourceRow & { supported_scopes: string[] })[]>(
      "resources.*",
      database.raw(
        "ARRAY(SELECT scope_key FROM resource_scopes WHERE resource_id = resources.id ORDER BY scope_key) AS supported_scopes",
      ),
    );

  return {
    async findByKey(key) {
      const [row] = await resources().where({ key });
      return row && fromRow(row);
    },
    async findByIdentifier(resource) {
      const [row] = await resources().where({ resource });
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

function fromRow(row: ResourceRow & { supported_scopes: string[] }): Resource {
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
