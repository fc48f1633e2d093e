import { connectionRow } from "../../platform/vault/envelope.js";
import type { ConnectionStore, NewCredentials } from "../connections.js";
import { createConnectionListStore } from "./connection-list.js";
import { type ConnectionRow, connectionColumns, connectionFromRow } from "./connection-rows.js";
import { type Database, prepared } from "./database.js";
import { createRewrapStore } from "./rewraps.js";

const columns = connectionColumns.join(", ");

const ownSql = `SELECT ${columns} FROM connections WHERE user_id = $1 AND connector_id = $2`;

const beginRefreshSql = `
  UPDATE connections SET refresh_lease = $3, refresh_lease_until = $4
  WHERE id = $1 AND credential_version = $2 AND state = 'connected'
    AND (refresh_lease IS NULL OR refresh_lease_until <= $5)
    AND (refresh_not_before IS NULL OR refresh_not_before <= $5)
  RETURNING id`;

/** What every new set of tokens ends. */
const noRefresh = {
  refresh_lease: null,
  refresh_lease_until: null,
  refresh_uncertain: false,
  refresh_not_before: null,
};

export function createConnectionStore(database: Database): ConnectionStore {
  const connections = () => database<ConnectionRow>("connections");
  const nextVersion = () => database.raw("connections.credential_version + 1");

  return {
    ...createConnectionListStore(database),
    ...createRewrapStore(database, { table: "connections", rowOf: connectionRow }),

    async find(id) {
      const row = await connections()
        .first(...connectionColumns)
        .where({ id });
      return row && connectionFromRow(row);
    },
    async findOwn({ userId, connectorId }) {
      const statement = { name: "own_connection", text: ownSql, values: [userId, connectorId] };
      const [row] = await prepared<ConnectionRow>(database, statement);
      return row && connectionFromRow(row);
    },
    async listOwn(userId) {
      const rows = await connections()
        .select(...connectionColumns)
        .where({ user_id: userId })
        .orderBy("connected_at");
      return rows.map(connectionFromRow);
    },
    async save({ id, connectorId, userId, account, now, ...credentials }) {
      const values = {
        ...toColumns(credentials),
        account_subject: account.subject,
        account_label: account.label,
        state: "connected",
        reason: null,
        connected_at: now,
        ...noRefresh,
      };
      const rows = await database("connections")
        .insert({ id, connector_id: connectorId, user_id: userId, ...values })
        .onConflict(["user_id", "connector_id"])
        .merge({ ...values, credential_version: nextVersion() })
        .whereRaw("connections.id = excluded.id AND connections.state <> 'disconnecting'")
        .whereRaw(
          "coalesce(connections.account_subject, excluded.account_subject) IS NOT DISTINCT FROM excluded.account_subject",
        )
        .returning<ConnectionRow[]>([...connectionColumns]);
      return rows[0] && connectionFromRow(rows[0]);
    },
    async beginRefresh({ id, credentialVersion, lease, now, until }) {
      const values = [id, credentialVersion, lease, until, now];
      const rows = await prepared(database, { name: "begin_refresh", text: beginRefreshSql, values });
      return rows.length > 0;
    },
    async finishRefresh({ id, credentialVersion, state, reason, now, ...credentials }) {
      const unlessDisconnecting = (value: string | null, otherwise: string) =>
        database.raw(`CASE WHEN state = 'disconnecting' THEN ${otherwise} ELSE ?::text END`, [value]);
      const changed = await database("connections")
        .where({ id, credential_version: credentialVersion })
        .update({
          ...toColumns(credentials),
          ...noRefresh,
          credential_version: nextVersion(),
          refreshed_at: now,
          state: unlessDisconnecting(state, "state"),
          reason: unlessDisconnecting(reason, "NULL"),
        });
      return changed > 0;
    },
    async abandonRefresh({ id, lease, uncertain, notBefore }) {
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
    async requireReconnect({ id, credentialVersion, reason }) {
      const changed = await database("connections")
        .where({ id, credential_version: credentialVersion, state: "connected" })
        .update({ state: "reconnect_required", reason, refresh_lease: null, refresh_lease_until: null });
      return changed > 0;
    },
    async requireReconnectOfAll({ connectorId, reason }) {
      return await database("connections").where({ connector_id: connectorId, state: "connected" }).update({
        state: "reconnect_required",
        reason,
        credential_version: nextVersion(),
        refresh_lease: null,
        refresh_lease_until: null,
      });
    },
    async markStale({ id, credentialVersion }) {
      await database("connections")
        .where({ id, credential_version: credentialVersion })
        .update({ access_expires_at: new Date(0) });
    },
    async unmarkStale({ id, credentialVersion }) {
      await database("connections")
        .where({ id, credential_version: credentialVersion, access_expires_at: new Date(0) })
        .update({ access_expires_at: null });
    },
    async block({ id, now }) {
      const rows = await blocked(database, now)
        .where({ id })
        .returning<ConnectionRow[]>([...connectionColumns]);
      return rows[0] && connectionFromRow(rows[0]);
    },
    async blockAll({ connectorId, now }) {
      return await blocked(database, now).where({ connector_id: connectorId });
    },
    async remove({ id, credentialVersion }) {
      const removed = await database("connections")
        .where({ id, credential_version: credentialVersion, state: "disconnecting" })
        .delete();
      return removed > 0;
    },
    async listDisconnecting({ before, limit }) {
      const rows = await connections()
        .select(...connectionColumns)
        .where("disconnecting_at", "<", before)
        .orderBy("disconnecting_at")
        .limit(limit);
      return rows.map(connectionFromRow);
    },
  };
}

/** A refresh that is running keeps its lease, so that it can be waited for. */
function blocked(database: Database, now: Date) {
  return database("connections")
    .whereNot({ state: "disconnecting" })
    .update({ state: "disconnecting", reason: null, disconnecting_at: now });
}

function toColumns({ credentials, grantedScopes, accessExpiresAt, refreshable }: NewCredentials) {
  return {
    key_id: credentials.keyId,
    wrapped_key: credentials.wrappedKey,
    credentials: credentials.ciphertext,
    granted_scopes: [...grantedScopes],
    access_expires_at: accessExpiresAt,
    refreshable,
  };
}
