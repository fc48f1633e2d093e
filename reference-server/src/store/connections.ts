import type { ListedPerson } from "./browser-sessions.js";
import { type Page, type PageColumns, type PageRequest, selectPage, whereWords } from "./page.js";
import { type Database, prepared, queryRows } from "./postgres/database.js";
import { defineTable } from "./postgres/table.js";

/** `disconnecting`: nothing is sent any more; the tokens are being revoked, then the row is removed. */
export const connectionStates = ["connected", "reconnect_required", "disconnecting"] as const;

type ConnectionState = (typeof connectionStates)[number];

/**
 * Why a person must connect again. `refused`: the third party takes the refresh token no more. `rotation_lost`: it did
 * so after a refresh whose outcome is not known. `grant_shrunk`: a required scope is gone. `expired`: the access token
 * is over, and there is no refresh token. `unreadable`: the stored tokens do not open. `client_changed`: they belong to
 * another client of the third party. `person_ended`: the person was disabled since.
 */
export const reconnectReasons = [
  "refused",
  "rotation_lost",
  "grant_shrunk",
  "expired",
  "unreadable",
  "client_changed",
  "person_ended",
] as const;

export type ReconnectReason = (typeof reconnectReasons)[number];

/** One person's account at one third party. At most one per person and connector. */
export interface Connection {
  readonly id: string;
  readonly connectorId: string;
  readonly userId: string;
  readonly state: ConnectionState;
  readonly reason: ReconnectReason | null;
  /** The account at the third party, if known. */
  readonly account: ConnectionAccount;
  readonly grantedScopes: readonly string[];
  /** The tokens, sealed for `connectionRow(connection)`. */
  readonly credentials: Buffer;
  /** Raised with every new set of tokens. */
  readonly credentialVersion: number;
  /** `null`: unknown. */
  readonly accessExpiresAt: Date | null;
  /** There is a refresh token. */
  readonly refreshable: boolean;
  readonly refresh: ConnectionRefresh;
  /** When the person last connected it. */
  readonly connectedAt: Date;
  readonly refreshedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

interface ConnectionAccount {
  readonly subject: string | null;
  readonly label: string | null;
}

interface ConnectionRefresh {
  /** The owner of the lease; `null`: none. */
  readonly lease: string | null;
  /** When another process may take over. */
  readonly until: Date | null;
  /** A refresh was sent and its outcome is not known: the stored refresh token may be used up. */
  readonly uncertain: boolean;
  /** No refresh begins before that. */
  readonly notBefore: Date | null;
}

/** New tokens, and what came with them. */
export type NewCredentials = Pick<
  Connection,
  "credentials" | "grantedScopes" | "accessExpiresAt" | "refreshable"
>;

/** One set of tokens, replaced by the next. */
type TokenSet = Pick<Connection, "id" | "credentialVersion">;

type NewConnection = NewCredentials &
  Pick<Connection, "id" | "connectorId" | "userId" | "account"> & { readonly now: Date };

/** Of the tokens that were sent. */
type FinishedRefresh = TokenSet &
  NewCredentials & { readonly now: Date } & (
    | { readonly state: "connected"; readonly reason: null }
    | { readonly state: "reconnect_required"; readonly reason: ReconnectReason }
  );

/** A connection as administrators see it: without the tokens, even sealed. */
export interface ListedConnection
  extends Pick<
    Connection,
    "id" | "state" | "reason" | "account" | "grantedScopes" | "connectedAt" | "refreshedAt" | "lastUsedAt"
  > {
  readonly user: ListedPerson;
  readonly connector: { readonly key: string; readonly name: string };
  /** The key encryption key. */
  readonly keyId: string;
}

type ConnectionListRequest = PageRequest<"connectedAt"> & {
  /** Key of the connector. */
  readonly connector: string | undefined;
  /** Only those at these connectors; at all when absent. */
  readonly connectorIds?: readonly string[] | undefined;
  readonly userId: string | undefined;
  readonly state: Connection["state"] | undefined;
};

export interface ConnectionCounts {
  readonly connected: number;
  readonly reconnectRequired: number;
  readonly disconnecting: number;
}

export const connectionTable = defineTable<Connection>(
  "connections",
  {
    id: "id",
    connectorId: "connector_id",
    userId: "user_id",
    state: "state",
    reason: "reason",
    account: { subject: "account_subject", label: "account_label" },
    grantedScopes: "granted_scopes",
    credentials: "credentials",
    credentialVersion: "credential_version",
    accessExpiresAt: "access_expires_at",
    refreshable: "refreshable",
    refresh: {
      lease: "refresh_lease",
      until: "refresh_lease_until",
      uncertain: "refresh_uncertain",
      notBefore: "refresh_not_before",
    },
    connectedAt: "connected_at",
    refreshedAt: "refreshed_at",
    lastUsedAt: "last_used_at",
  },
  {
    dates: [
      "accessExpiresAt",
      "refresh.until",
      "refresh.notBefore",
      "connectedAt",
      "refreshedAt",
      "lastUsedAt",
    ],
    bytes: ["credentials"],
  },
);

const ownSql = `SELECT ${connectionTable.select()} FROM connections WHERE user_id = $1 AND connector_id = $2`;

const beginRefreshSql = `
  UPDATE connections SET refresh_lease = $3, refresh_lease_until = $4
  WHERE id = $1 AND credential_version = $2 AND state = 'connected'
    AND (refresh_lease IS NULL OR refresh_lease_until <= $5)
    AND (refresh_not_before IS NULL OR refresh_not_before <= $5)
  RETURNING id`;

/** What every new set of tokens ends. */
const noRefresh = { lease: null, until: null, uncertain: false, notBefore: null };

/** How many connections are in which state, as one JSON object; of a connector that is called `c`. */
export const connectionCountsSql = `
  (SELECT json_build_object('connected', count(*) FILTER (WHERE n.state = 'connected'),
    'reconnectRequired', count(*) FILTER (WHERE n.state = 'reconnect_required'),
    'disconnecting', count(*) FILTER (WHERE n.state = 'disconnecting'))
  FROM connections n WHERE n.connector_id = c.id)`;

const pageColumns: PageColumns<"connectedAt"> = {
  id: { sql: "n.id", type: "uuid" },
  sorts: { connectedAt: { sql: "n.connected_at", type: "timestamptz" } },
};

const listedSql = `n.id, n.state, n.reason, n.granted_scopes AS "grantedScopes", n.key_id AS "keyId",
  json_build_object('subject', n.account_subject, 'label', n.account_label) AS account,
  n.connected_at AS "connectedAt", n.refreshed_at AS "refreshedAt", n.last_used_at AS "lastUsedAt",
  json_build_object('id', u.id, 'email', u.email, 'name', u.name) AS user,
  json_build_object('key', c.key, 'name', c.name) AS connector`;

export function createConnectionStore(database: Database) {
  const connections = () => database("connections").select<object[]>(database.raw(connectionTable.select()));
  const tokens = ({ id, credentialVersion }: TokenSet) =>
    database("connections").where({ id, credential_version: credentialVersion });
  const nextVersion = () => database.raw("connections.credential_version + 1");

  return {
    async find(id: string): Promise<Connection | undefined> {
      const [row] = await connections().where({ id });
      return row && connectionTable.fromRow(row);
    },
    async findOwn({
      userId,
      connectorId,
    }: Pick<Connection, "userId" | "connectorId">): Promise<Connection | undefined> {
      const statement = { name: "own_connection", text: ownSql, values: [userId, connectorId] };
      const [row] = await prepared<object>(database, statement);
      return row && connectionTable.fromRow(row);
    },
    /** All connections of a person, of enabled connectors and others. */
    async listOwn(userId: string): Promise<readonly Connection[]> {
      const rows = await connections().where({ user_id: userId }).orderBy("connected_at");
      return rows.map((row) => connectionTable.fromRow(row));
    },
    /**
     * Inserts the connection, or replaces its tokens and state: the id stays, `credentialVersion` is raised, and a
     * refresh that is running will be too late. `undefined` when nothing was stored: the connection is being
     * disconnected, or this person's connection has another id by now, and the tokens are sealed for the wrong one, or is
     * of another account.
     */
    async save({
      id,
      connectorId,
      userId,
      now,
      ...connection
    }: NewConnection): Promise<Connection | undefined> {
      const values = connectionTable.toRow({
        ...connection,
        state: "connected",
        reason: null,
        connectedAt: now,
        refresh: noRefresh,
      });
      const rows = await database("connections")
        .insert({ id, connector_id: connectorId, user_id: userId, ...values })
        .onConflict(["user_id", "connector_id"])
        .merge({ ...values, credential_version: nextVersion() })
        .whereRaw("connections.id = excluded.id AND connections.state <> 'disconnecting'")
        .whereRaw(
          "coalesce(connections.account_subject, excluded.account_subject) IS NOT DISTINCT FROM excluded.account_subject",
        )
        .returning<object[]>(database.raw(connectionTable.select()));
      return rows[0] && connectionTable.fromRow(rows[0]);
    },
    /**
     * Gives exactly one caller the lease to refresh this set of tokens. `false`: another caller has or had it, or it is too early.
     * `until` must be later than the refresh can last.
     */
    async beginRefresh({
      id,
      credentialVersion,
      lease,
      now,
      until,
    }: {
      readonly id: string;
      readonly credentialVersion: number;
      readonly lease: string;
      readonly now: Date;
      readonly until: Date;
    }): Promise<boolean> {
      const values = [id, credentialVersion, lease, until, now];
      const rows = await prepared(database, { name: "begin_refresh", text: beginRefreshSql, values });
      return rows.length > 0;
    },
    /**
     * Stores what a refresh brought, unless newer tokens are there; then it returns `false`. The lease does not count: a
     * late answer is kept when nobody was faster. A connection that is being disconnected stays so, with the newest
     * tokens, so that these are revoked.
     */
    async finishRefresh(refresh: FinishedRefresh): Promise<boolean> {
      const { id, credentialVersion, state, reason, now, ...credentials } = refresh;
      const unlessDisconnecting = (value: string | null, otherwise: string) =>
        database.raw(`CASE WHEN state = 'disconnecting' THEN ${otherwise} ELSE ?::text END`, [value]);
      const changed = await tokens({ id, credentialVersion }).update({
        ...connectionTable.toRow({ ...credentials, refresh: noRefresh, refreshedAt: now }),
        credential_version: nextVersion(),
        state: unlessDisconnecting(state, "state"),
        reason: unlessDisconnecting(reason, "NULL"),
      });
      return changed > 0;
    },
    /**
     * Gives up a refresh that brought nothing. `uncertain` stays until new tokens are stored. Returns whether the lease
     * was still the caller's.
     */
    async abandonRefresh({
      id,
      lease,
      uncertain,
      notBefore,
    }: {
      readonly id: string;
      readonly lease: string;
      readonly uncertain: boolean;
      readonly notBefore: Date | null;
    }): Promise<boolean> {
      const changed = await database("connections")
        .where({ id, refresh_lease: lease })
        .update({
          refresh_lease: null,
          refresh_lease_until: null,
          refresh_uncertain: database.raw("refresh_uncertain OR ?", [uncertain]),
          refresh_not_before: notBefore,
        });
      return changed > 0;
    },
    /** Requires connecting again, unless there are newer tokens. Returns whether this call changed the state. */
    async requireReconnect({
      reason,
      ...used
    }: TokenSet & { readonly reason: ReconnectReason }): Promise<boolean> {
      const changed = await tokens(used)
        .where({ state: "connected" })
        .update({ state: "reconnect_required", reason, refresh_lease: null, refresh_lease_until: null });
      return changed > 0;
    },
    /** The same for all that are connected at a connector, newer tokens or not: a refresh that is running is too late. */
    async requireReconnectOfAll({
      connectorId,
      reason,
    }: {
      readonly connectorId: string;
      readonly reason: ReconnectReason;
    }): Promise<number> {
      return await database("connections").where({ connector_id: connectorId, state: "connected" }).update({
        state: "reconnect_required",
        reason,
        credential_version: nextVersion(),
        refresh_lease: null,
        refresh_lease_until: null,
      });
    },
    /** The same for all of a person. Returns them, each with the key of its connector. */
    async requireReconnectOfPerson({
      userId,
      reason,
    }: {
      readonly userId: string;
      readonly reason: ReconnectReason;
    }): Promise<readonly { readonly id: string; readonly connector: string }[]> {
      const text = `UPDATE connections n SET state = 'reconnect_required', reason = :reason,
          credential_version = n.credential_version + 1, refresh_lease = NULL, refresh_lease_until = NULL
        FROM connectors c WHERE c.id = n.connector_id AND n.user_id = :userId AND n.state = 'connected'
        RETURNING n.id, c.key AS connector`;
      return await queryRows(database, text, { userId, reason });
    },
    /** Marks this access token to be refreshed before its next use. */
    async markStale(used: TokenSet): Promise<void> {
      await tokens(used).update({ access_expires_at: new Date(0) });
    },
    /** Takes that back: the token works after all. When it ends is not known any more. */
    async unmarkStale(used: TokenSet): Promise<void> {
      await tokens(used)
        .where({ access_expires_at: new Date(0) })
        .update({ access_expires_at: null });
    },
    /** Begins to disconnect; nothing is sent from now on. `undefined` when it is gone, or being disconnected. */
    async block({ id, now }: { readonly id: string; readonly now: Date }): Promise<Connection | undefined> {
      const rows = await blocked(database, now)
        .where({ id })
        .returning<object[]>(database.raw(connectionTable.select()));
      return rows[0] && connectionTable.fromRow(rows[0]);
    },
    /** The same for all of a connector. Returns how many there were. */
    async blockAll({
      connectorId,
      now,
    }: {
      readonly connectorId: string;
      readonly now: Date;
    }): Promise<number> {
      return await blocked(database, now).where({ connector_id: connectorId });
    },
    /**
     * Ends disconnecting. `false` when it is gone, or when newer tokens than these have come meanwhile: those have to be
     * revoked as well.
     */
    async remove(revoked: TokenSet): Promise<boolean> {
      return (await tokens(revoked).where({ state: "disconnecting" }).delete()) > 0;
    },
    /** Those that have been disconnecting since before that time, the oldest first. */
    async listDisconnecting({
      before,
      limit,
    }: {
      readonly before: Date;
      readonly limit: number;
    }): Promise<readonly Connection[]> {
      const rows = await connections()
        .where("disconnecting_at", "<", before)
        .orderBy("disconnecting_at")
        .limit(limit);
      return rows.map((row) => connectionTable.fromRow(row));
    },
    /** `q` is looked for in the people's names and addresses. */
    async list(asked: ConnectionListRequest): Promise<Page<ListedConnection>> {
      const { connector, connectorIds, userId, state, ...request } = asked;
      const query = database("connections AS n")
        .join("users AS u", "u.id", "n.user_id")
        .join("connectors AS c", "c.id", "n.connector_id")
        .select(database.raw(listedSql));
      if (connector !== undefined) {
        const wanted = database("connectors").select("id").where({ key: connector });
        void query.where("n.connector_id", wanted);
      }
      if (connectorIds !== undefined) void query.whereIn("n.connector_id", [...connectorIds]);
      if (userId !== undefined) void query.where("n.user_id", userId);
      if (state !== undefined) void query.where("n.state", state);
      whereWords(query, "u.words", request.q);
      return await selectPage<ListedConnection, "connectedAt">(query, { columns: pageColumns, request });
    },
    async countByState(connectorId: string): Promise<ConnectionCounts> {
      const rows = await queryRows<{ counts: ConnectionCounts }>(
        database,
        `SELECT ${connectionCountsSql} AS counts FROM (SELECT :connectorId::uuid AS id) AS c`,
        { connectorId },
      );
      return rows[0]?.counts ?? { connected: 0, reconnectRequired: 0, disconnecting: 0 };
    },
  };
}

/** A refresh that is running keeps its lease, so that it can be waited for. */
function blocked(database: Database, now: Date) {
  return database("connections")
    .whereNot({ state: "disconnecting" })
    .update({ state: "disconnecting", reason: null, disconnecting_at: now });
}
