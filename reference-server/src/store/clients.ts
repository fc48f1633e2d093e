import type { PublicJwk } from "@authz/dpop";
import { redirectHosts } from "../protocol/redirect-uri.js";
import { type GrantTypeName, grantTypes } from "../protocol/vocabulary.js";
import { type Page, type PageColumns, type PageRequest, selectPage, whereWords } from "./page.js";
import type { Database } from "./postgres/database.js";
import {
  defineTable,
  insertMissing,
  json,
  LinkedScopes,
  saveVersioned,
  selectVersion,
  type Versioned,
} from "./postgres/table.js";
import { isGrantLiveSql } from "./stop-conditions.js";

/**
 * `public`: a program that can keep no secret. `confidential`: proves who it is with `private_key_jwt`.
 * `machine`: the same, but acts for itself and never for a person.
 */
export type ClientType = "public" | "confidential" | "machine";

/** A key that a client signs its assertions with. */
export interface ClientKey {
  readonly kid: string;
  readonly publicJwk: PublicJwk;
}

/**
 * How this server knows a client: an administrator registered it, its `client_id` is the address of its metadata document, or it
 * registered itself (RFC 7591).
 */
export type ClientSource = "registered" | "metadata_document" | "dynamic_registration";

/** An OAuth client of this server. */
export interface Client {
  readonly id: string;
  readonly name: string;
  readonly type: ClientType;
  /** The port of a loopback redirect URI is not part of the comparison (RFC 8252 §7.3). */
  readonly redirectUris: readonly string[];
  /** Several while one replaces another; none for a public client. */
  readonly keys: readonly ClientKey[];
  /** RFC 9449 §5.2: every token of this client is bound to a key. */
  readonly dpopBound: boolean;
  /** The grants that it may use; of a client that registered itself or has a document, those that it lists. */
  readonly grantTypes: readonly GrantTypeName[];
  readonly source: ClientSource;
  /** Whether its host may be a client, as far as that was ever asked. */
  readonly trusted: boolean;
  /** Whether it is never given more than its `ceiling`. */
  readonly limited: boolean;
  /** In order; empty unless it is limited. */
  readonly ceiling: readonly string[];
  readonly builtIn: boolean;
  /** The administrator's switch. A client may act when it is enabled and trusted: `mayAct`. */
  readonly enabled: boolean;
}

/** The grants of a client that an administrator registers: all that are for people, or the one for machines. */
export function registeredGrants(type: ClientType): readonly GrantTypeName[] {
  return Object.values(grantTypes).filter(
    (grantType) => (grantType === grantTypes.clientCredentials) === (type === "machine"),
  );
}

/** What a client for people has that an administrator registers and says nothing else about. */
export const registeredClient = {
  grantTypes: registeredGrants("public"),
  source: "registered",
  trusted: true,
  limited: false,
  ceiling: [],
} as const satisfies Partial<Client>;

/** Whether a client may do anything at all now. */
export function mayAct({ enabled, trusted }: Pick<Client, "enabled" | "trusted">): boolean {
  return enabled && trusted;
}

/** The host that a client has proven to come from: that of its metadata document. `null`: nothing was proven. */
export function clientHost({ id, source }: Pick<Client, "id" | "source">): string | null {
  return source === "metadata_document" && URL.canParse(id) ? new URL(id).host : null;
}

/** A client as administrators see it. */
export interface ListedClient extends Client, Versioned {
  /** What a machine may do, in order; empty for others. */
  readonly machineScopes: readonly string[];
  /** Live grants with it. */
  readonly grants: number;
}

/** A client that people are signed in with. */
export type UsedClient = Pick<ListedClient, "id" | "name" | "trusted" | "grants">;

type ClientListRequest = PageRequest<"name" | "id"> & {
  readonly type: ClientType | undefined;
  readonly source: ClientSource | undefined;
  readonly enabled: boolean | undefined;
  readonly now: Date;
};

const ceiling = new LinkedScopes("client_scopes", "client_id");

export const clientTable = defineTable<Client>("clients", {
  id: "id",
  name: "name",
  type: "type",
  redirectUris: "redirect_uris",
  keys: json("keys"),
  dpopBound: "dpop_bound",
  grantTypes: "grant_types",
  source: "source",
  trusted: "trusted",
  limited: "limited",
  ceiling,
  builtIn: "built_in",
  enabled: "enabled",
});

const machineScopes = new LinkedScopes("machine_scopes", "client_id");

const listedSql = `${clientTable.select("c")}, ${selectVersion("c")}, ${machineScopes.select("c.id")} AS "machineScopes"`;

const pageColumns: PageColumns<"name" | "id"> = {
  id: { sql: "c.id", type: "text" },
  sorts: { name: { sql: "lower(c.name)", type: "text" }, id: { sql: "c.id", type: "text" } },
};

const grantsSql = `SELECT g.client_id AS id, count(*)::integer AS count FROM grants g
  WHERE g.client_id = ANY (:ids) AND ${isGrantLiveSql("g", ":now")} GROUP BY 1`;

/**
 * A client that came with a document is trusted as its host is; one that registered itself while that is on, and while each of its redirects
 * goes to a program on the person's own computer or to a host that is allowed.
 */
const judgeTrustSql = `
  UPDATE clients SET trusted = judged.trusted, updated_at = :at, version = clients.version + 1
  FROM (
    SELECT c.id, CASE c.source
      WHEN 'metadata_document' THEN s.app_trust <> 'off' AND coalesce(h.allowed, s.app_trust = 'any')
      ELSE s.dynamic_registration AND NOT EXISTS (
        SELECT FROM unnest(c.redirect_hosts) AS redirect (host) LEFT JOIN app_hosts r USING (host)
        WHERE r.allowed IS NOT TRUE)
      END AS trusted
    FROM clients c CROSS JOIN settings s
    LEFT JOIN client_documents d ON d.client_id = c.id
    LEFT JOIN app_hosts h ON h.host = d.host
    WHERE c.source <> 'registered'
  ) AS judged
  WHERE clients.id = judged.id AND clients.trusted <> judged.trusted`;

/**
 * Clients without a row in one of these tables. Nearly all rows are of one client, so a look for equal ones would be planned
 * as reading the table; the next one at or after it is one step in an index.
 */
const without = (...tables: string[]) =>
  tables
    .map(
      (table) => `(SELECT u.client_id FROM ${table} u WHERE u.client_id >= clients.id
        ORDER BY u.client_id LIMIT 1) IS DISTINCT FROM clients.id`,
    )
    .join(" AND ");

/** What people are not signed in with: grants that ended are there for a month. Anyone can begin a request, so it protects nothing. */
const unusedClientSql = without("grants");

/** The same, and no request of them is open: nothing needs the room that they take. */
export const idleClientSql = without("grants", "authorization_requests");

const countOfSourceSql = `
  SELECT count(*)::integer AS count FROM clients
  WHERE source = :source AND (:host::text IS NULL
    OR id IN (SELECT client_id FROM client_documents d WHERE d.host = :host))`;

const removeOldestUnusedSql = `
  DELETE FROM clients WHERE id = (
    SELECT id FROM clients
    WHERE source = :source AND enabled AND NOT limited AND ${unusedClientSql} AND (:host::text IS NULL
      OR id IN (SELECT client_id FROM client_documents d WHERE d.host = :host))
    ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)`;

/** What a client says about itself; an administrator's decisions are not among it. */
type ClientDescription = Pick<Client, "name" | "type" | "redirectUris" | "keys" | "dpopBound" | "grantTypes">;

interface Room {
  readonly source: Exclude<ClientSource, "registered">;
  /** Counts only those with documents of this host. */
  readonly host: string | null;
  readonly most: number;
}

type CountedClient = Omit<ListedClient, "grants">;

/** With the hosts of its redirects, so that no statement reads URIs by rules of its own. */
function toRow(client: ClientDescription): Record<string, unknown> {
  return { ...clientTable.toRow(client), redirect_hosts: redirectHosts(client.redirectUris) };
}

export function createClientStore(database: Database) {
  const listed = () => database("clients AS c").select(database.raw(listedSql));
  /** All at once: most grants are of one client, so a count for each client of its own would read them all each time. */
  async function countGrants(clients: readonly CountedClient[], now: Date): Promise<readonly ListedClient[]> {
    const ids = clients.map(({ id }) => id);
    const { rows } = await database.raw<{ rows: { id: string; count: number }[] }>(grantsSql, { ids, now });
    const counts = new Map(rows.map(({ id, count }) => [id, count]));
    return clients.map((client) => ({ ...client, grants: counts.get(client.id) ?? 0 }));
  }

  return {
    async find(id: string): Promise<Client | undefined> {
      const [client] = await database("clients")
        .select<Client[]>(database.raw(clientTable.select()))
        .where({ id });
      return client;
    },
    /** Returns whether the row was new; an existing row stays as it is. */
    async insertMissing(client: Client, at: Date): Promise<boolean> {
      const row = { ...toRow(client), created_at: at, updated_at: at };
      return await insertMissing(database, "clients", { row });
    },
    /** Inserts or replaces the row with this id. */
    async save(client: Client, at: Date): Promise<void> {
      await saveVersioned(database, "clients", { row: toRow(client), at });
      await ceiling.save(database, client.id, client.ceiling);
    },
    /** Replaces what a client says about itself. */
    async describeAnew(id: string, description: ClientDescription, at: Date): Promise<void> {
      const row = { ...toRow(description), updated_at: at, version: database.raw("version + 1") };
      await database("clients").where({ id }).update(row);
    },
    /**
     * Returns whether there is room for one more client that no administrator registered: the oldest that no person is signed in with makes it.
     */
    async makeRoom({ source, host, most }: Room): Promise<boolean> {
      const { rows } = await database.raw<{ rows: { count: number }[] }>(countOfSourceSql, { source, host });
      if ((rows[0]?.count ?? 0) < most) return true;
      const removed: { rowCount: number } = await database.raw(removeOldestUnusedSql, { source, host });
      return removed.rowCount > 0;
    },
    /** The enabled unregistered clients with live grants, trusted or not. */
    async listUsedUnregistered(now: Date): Promise<readonly UsedClient[]> {
      return await database("clients AS c")
        .join("grants AS g", "g.client_id", "c.id")
        .whereNot("c.source", "registered")
        .where("c.enabled", true)
        .whereNull("g.revoked_at")
        .where("g.expires_at", ">", now)
        .groupBy("c.id")
        .orderBy([{ column: "grants", order: "desc" }, "c.id"])
        .select<UsedClient[]>("c.id", "c.name", "c.trusted", database.raw("count(*)::integer AS grants"));
    },
    /** Recomputes `trusted` of every unregistered client from settings and hosts. */
    async judgeTrust(at: Date): Promise<void> {
      await database.raw(judgeTrustSql, { at });
    },
    /** The scopes that a machine client has, in order. */
    async listMachineScopes(clientId: string): Promise<readonly string[]> {
      const rows = await database("machine_scopes")
        .where({ client_id: clientId })
        .orderBy("scope_key")
        .select<{ scope_key: string }[]>("scope_key");
      return rows.map((row) => row.scope_key);
    },
    /** What a token of a machine client is made of: its scopes, in order, and its entry in the token status list. */
    async findMachine(
      id: string,
    ): Promise<{ readonly scopes: readonly string[]; readonly statusIndex: number } | undefined> {
      const [machine] = await database("clients AS c")
        .where({ id, type: "machine" })
        .select<{ scopes: readonly string[]; statusIndex: number }[]>(
          "c.status_index AS statusIndex",
          database.raw(`${machineScopes.select("c.id")} AS scopes`),
        );
      return machine;
    },
    /** Replaces the scopes of a machine client. */
    saveMachineScopes: (clientId: string, scopes: readonly string[]): Promise<void> =>
      machineScopes.save(database, clientId, scopes),
    async list({ type, source, enabled, now, ...request }: ClientListRequest): Promise<Page<ListedClient>> {
      const query = listed();
      if (type !== undefined) void query.where("c.type", type);
      if (source !== undefined) void query.where("c.source", source);
      if (enabled !== undefined) void query.where("c.enabled", enabled);
      whereWords(query, "c.words", request.q);
      const { items, ...rest } = await selectPage<CountedClient, "name" | "id">(query, {
        columns: pageColumns,
        request,
      });
      return { items: await countGrants(items, now), ...rest };
    },
    async describe(id: string, now: Date): Promise<ListedClient | undefined> {
      const rows = (await listed().where("c.id", id)) as CountedClient[];
      const [client] = await countGrants(rows, now);
      return client;
    },
    /** Returns whether the client existed. Grants of it that have ended go with it. */
    remove: async (id: string): Promise<boolean> => (await database("clients").where({ id }).delete()) > 0,
  };
}
