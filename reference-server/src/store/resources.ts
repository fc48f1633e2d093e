import { type Page, type PageColumns, type PageRequest, selectPage, whereWords } from "./page.js";
import { type Database, prepared } from "./postgres/database.js";

/** A registered service: what assertions are issued for, and where clients may send requests. */
export interface Resource {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  /** The resource identifier, `aud` of the service's access tokens. */
  readonly resource: string;
  /** The service's own issuer, `aud` of identity assertions. */
  readonly authorizationServer: string;
  /** The command-line client's id at the service. */
  readonly clientId: string;
  readonly requestPrefixes: readonly string[];
  readonly supportedScopes: readonly string[];
  readonly enabled: boolean;
  readonly skillDiscovery: boolean;
  /** Takes identity assertions that are bound to no key. */
  readonly allowsBearer: boolean;
}

/** A resource as administrators see it. */
export interface ListedResource extends Resource {
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}

/** A prefix that a resource has. */
export interface ResourcePrefix {
  /** Of the resource. */
  readonly key: string;
  readonly prefix: string;
}

export type ResourceListRequest = PageRequest<"name" | "key" | "createdAt"> & {
  readonly enabled: boolean | undefined;
  /** Only resources that support it. */
  readonly scope: string | undefined;
};

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

const pageColumns: PageColumns<"name" | "key" | "createdAt"> = {
  id: { sql: "r.key", type: "text" },
  sorts: {
    name: { sql: "lower(r.name)", type: "text" },
    key: { sql: "r.key", type: "text" },
    createdAt: { sql: "r.created_at", type: "timestamptz" },
  },
};

const listedSql = `r.id, r.key, r.name, r.resource, r.authorization_server AS "authorizationServer",
  r.client_id AS "clientId", r.request_prefixes AS "requestPrefixes", r.enabled,
  r.skill_discovery AS "skillDiscovery", r.allows_bearer AS "allowsBearer",
  ARRAY(SELECT s.scope_key FROM resource_scopes s WHERE s.resource_id = r.id ORDER BY s.scope_key) AS "supportedScopes",
  r.created_at AS "createdAt", r.updated_at AS "updatedAt", r.version`;

export function createResourceStore(database: Database) {
  const resources = () =>
    database("resources").select<FullRow[]>("resources.*", database.raw(supportedScopes));
  const listed = () => database("resources AS r").select(database.raw(listedSql));

  return {
    async findByKey(key: string): Promise<Resource | undefined> {
      const [row] = await resources().where({ key });
      return row && fromRow(row);
    },
    /** The resource with this identifier, enabled or not. */
    async findByIdentifier(resource: string): Promise<Resource | undefined> {
      const statement = { name: "resource_by_identifier", text: byIdentifierSql, values: [resource] };
      const [row] = await prepared<FullRow>(database, statement);
      return row && fromRow(row);
    },
    /** Every enabled resource, by key. */
    async listEnabled(): Promise<readonly Resource[]> {
      const rows = await resources().where({ enabled: true }).orderBy("key");
      return rows.map(fromRow);
    },
    /** Inserts or replaces the row with this id, and its supported scopes. */
    async save(resource: Resource, at: Date): Promise<void> {
      const { id, ...row } = toRow(resource);
      await database("resources")
        .insert({ id, ...row, created_at: at, updated_at: at })
        .onConflict("id")
        .merge({ ...row, updated_at: at, version: database.raw("resources.version + 1") });
      await database("resource_scopes").where({ resource_id: id }).delete();
      const scopes = resource.supportedScopes.map((scope) => ({ resource_id: id, scope_key: scope }));
      if (scopes.length > 0) await database("resource_scopes").insert(scopes);
    },
    async list({ enabled, scope, ...request }: ResourceListRequest): Promise<Page<ListedResource>> {
      const query = listed();
      if (enabled !== undefined) void query.where("r.enabled", enabled);
      if (scope !== undefined) {
        void query.whereRaw(
          "EXISTS (SELECT FROM resource_scopes s WHERE s.resource_id = r.id AND s.scope_key = ?)",
          [scope],
        );
      }
      whereWords(query, "r.words", request.q);
      return await selectPage(query, { columns: pageColumns, request });
    },
    async describe(key: string): Promise<ListedResource | undefined> {
      const [row] = (await listed().where("r.key", key)) as ListedResource[];
      return row;
    },
    /** The resources that have one of these prefixes, to the letter. */
    async findByPrefixes(prefixes: readonly string[]): Promise<readonly ResourcePrefix[]> {
      const { rows } = await database.raw<{ rows: ResourcePrefix[] }>(
        `SELECT r.key, p.prefix FROM resources r, unnest(r.request_prefixes) AS p (prefix)
        WHERE r.request_prefixes && :prefixes::text[] AND p.prefix = ANY (:prefixes::text[]) ORDER BY r.key, p.prefix`,
        { prefixes: [...prefixes] },
      );
      return rows;
    },
    /** Every prefix that begins with this origin. */
    async listPrefixesAt(origin: string): Promise<readonly ResourcePrefix[]> {
      const { rows } = await database.raw<{ rows: ResourcePrefix[] }>(
        `SELECT r.key, p.prefix FROM resources r, unnest(r.request_prefixes) AS p (prefix)
        WHERE p.prefix = :origin OR starts_with(p.prefix, :origin || '/') ORDER BY r.key, p.prefix`,
        { origin },
      );
      return rows;
    },
    /** Removes the resource, its supported scopes and the copy of its skill catalog. */
    async remove(id: string): Promise<void> {
      await database("resources").where({ id }).delete();
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
