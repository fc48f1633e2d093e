import type { ConnectionAttempt, ConnectionAttemptStore } from "../connection-attempts.js";
import type { Database } from "./database.js";

interface AttemptRow {
  id: string;
  connector_id: string;
  user_id: string;
  client_id: string | null;
  scopes: string[];
  session_id: string | null;
  state_hash: Buffer | null;
  created_at: Date;
  expires_at: Date;
  opened_at: Date | null;
  taken_at: Date | null;
  outcome: "connected" | "failed" | null;
  error: string | null;
}

const insertSql = `
  INSERT INTO connection_attempts (id, user_id, client_id, scopes, created_at, expires_at, connector_id)
  SELECT ?::uuid, ?::uuid, ?::text, ?::text[], ?::timestamptz, ?::timestamptz, id
  FROM connectors WHERE id = ? AND enabled FOR KEY SHARE`;

export function createConnectionAttemptStore(database: Database): ConnectionAttemptStore {
  const attempts = () => database<AttemptRow>("connection_attempts");

  return {
    async insert({ id, connectorId, userId, clientId, scopes, createdAt, expiresAt }) {
      const values = [id, userId, clientId, [...scopes], createdAt, expiresAt, connectorId];
      const result: { rowCount: number } = await database.raw(insertSql, values as readonly string[]);
      return result.rowCount > 0;
    },
    async find({ id, userId }) {
      const row = await attempts().first().where({ id, user_id: userId });
      return row && fromRow(row);
    },
    async open({ id, userId, sessionId, stateHash, scopes, now }) {
      const [row] = await attempts()
        .where({ id, user_id: userId, opened_at: null, outcome: null })
        .where("expires_at", ">", now)
        .update({ session_id: sessionId, state_hash: stateHash, scopes: [...scopes], opened_at: now })
        .returning("*");
      return row && fromRow(row);
    },
    async take({ stateHash, sessionId, userId, now }) {
      const [row] = await attempts()
        .where({ state_hash: stateHash, session_id: sessionId, user_id: userId })
        .where({ taken_at: null, outcome: null })
        .where("expires_at", ">", now)
        .update({ taken_at: now })
        .returning("*");
      return row && fromRow(row);
    },
    async conclude({ id, outcome }) {
      const error = outcome.state === "failed" ? outcome.error : null;
      const changed = await attempts().where({ id, outcome: null }).update({ outcome: outcome.state, error });
      return changed > 0;
    },
  };
}

function fromRow(row: AttemptRow): ConnectionAttempt {
  const { outcome, error } = row;
  return {
    id: row.id,
    connectorId: row.connector_id,
    userId: row.user_id,
    clientId: row.client_id,
    scopes: row.scopes,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    openedAt: row.opened_at,
    takenAt: row.taken_at,
    outcome: outcome === "failed" ? { state: outcome, error: error ?? "" } : outcome && { state: outcome },
  };
}
