import type { ConnectionCounts, ConnectionListStore, ListedConnection } from "../connection-list.js";
import { connectionCountsSql } from "./connector-list.js";
import type { Database } from "./database.js";
import { type PageColumns, selectPage } from "./page.js";
import { whereWords } from "./word-search.js";

const columns: PageColumns<"connectedAt"> = {
  id: { sql: "n.id", type: "uuid" },
  sorts: { connectedAt: { sql: "n.connected_at", type: "timestamptz" } },
};

const listedSql = `n.id, n.state, n.reason, n.granted_scopes AS "grantedScopes", n.key_id AS "keyId",
  json_build_object('subject', n.account_subject, 'label', n.account_label) AS account,
  n.connected_at AS "connectedAt", n.refreshed_at AS "refreshedAt", n.last_used_at AS "lastUsedAt",
  json_build_object('id', u.id, 'email', u.email, 'name', u.name) AS user,
  json_build_object('key', c.key, 'name', c.name) AS connector`;

export function createConnectionListStore(database: Database): ConnectionListStore {
  return {
    async list({ connector, userId, state, ...request }) {
      const query = database("connections AS n")
        .join("users AS u", "u.id", "n.user_id")
        .join("connectors AS c", "c.id", "n.connector_id")
        .select(database.raw(listedSql));
      if (connector !== undefined) {
        const wanted = database("connectors").select("id").where({ key: connector });
        void query.where("n.connector_id", wanted);
      }
      if (userId !== undefined) void query.where("n.user_id", userId);
      if (state !== undefined) void query.where("n.state", state);
      whereWords(query, "u.words", request.q);
      return await selectPage<ListedConnection, "connectedAt">(query, { columns, request });
    },
    async countByState(connectorId) {
      const { rows } = await database.raw<{ rows: { counts: ConnectionCounts }[] }>(
        `SELECT ${connectionCountsSql} AS counts FROM (SELECT :connectorId::uuid AS id) AS c`,
        { connectorId },
      );
      return rows[0]?.counts ?? { connected: 0, reconnectRequired: 0, disconnecting: 0 };
    },
  };
}
