import { type AuditRow, eventColumns, eventJson, type StampEvent } from "./audit-events.js";
import { type Database, prepared } from "./postgres/database.js";
import { defineTable } from "./postgres/table.js";

/** A request that is being sent to a third party. */
export interface ConnectionCall {
  readonly id: string;
  readonly connectionId: string;
  /** Key of the connector. */
  readonly connector: string;
  readonly userId: string;
  readonly clientId: string | null;
  /** The id of the HTTP request, as in the log. */
  readonly requestId: string | null;
  readonly method: string;
  readonly host: string;
  readonly pathTemplate: string;
  readonly startedAt: Date;
  /** No process is at it any more after that. */
  readonly endsBefore: Date;
}

/** The connection is locked by the update, so that whoever blocks it comes before or after the whole statement. */
const beginSql = `
  WITH used AS (
    UPDATE connections SET last_used_at = greatest(last_used_at, $10)
    WHERE id = $2 AND user_id = $4 AND state = 'connected'
      AND EXISTS (SELECT FROM connectors c WHERE c.id = connector_id AND c.enabled)
      AND EXISTS (SELECT FROM users u WHERE u.id = user_id AND u.enabled)
    RETURNING id)
  INSERT INTO connection_calls (id, connection_id, connector, user_id, client_id, request_id, method, host,
    path_template, started_at, ends_before)
  SELECT $1, id, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM used
  RETURNING 1`;

const endSql = `
  WITH ended AS (DELETE FROM connection_calls WHERE id = $1 RETURNING id)
  INSERT INTO audit_events (${eventColumns})
  SELECT e.* FROM ended, (
    SELECT ${eventColumns} FROM json_populate_record(NULL::audit_events, $2::json)) AS e
  RETURNING 1`;

const table = defineTable<ConnectionCall>("connection_calls", {
  id: "id",
  connectionId: "connection_id",
  connector: "connector",
  userId: "user_id",
  clientId: "client_id",
  requestId: "request_id",
  method: "method",
  host: "host",
  pathTemplate: "path_template",
  startedAt: "started_at",
  endsBefore: "ends_before",
});

export function createConnectionCallStore(database: Database, stamp: StampEvent) {
  return {
    /**
     * Notes a request before anything of it is sent, and that the connection is used. `false`, and nothing may be sent,
     * when the connection is not connected any more or its connector is disabled.
     */
    async begin(call: ConnectionCall): Promise<boolean> {
      const { id, connectionId, connector, userId, clientId, requestId } = call;
      const { method, host, pathTemplate, startedAt, endsBefore } = call;
      const who = [id, connectionId, connector, userId, clientId, requestId];
      const values = [...who, method, host, pathTemplate, startedAt, endsBefore];
      const rows = await prepared(database, { name: "connection_call_begin", text: beginSql, values });
      return rows.length > 0;
    },
    /** Ends a call with its audit event, in one statement. Returns whether this call is the one that ended it. */
    async end(id: string, event: AuditRow): Promise<boolean> {
      const values = [id, JSON.stringify(eventJson(event, stamp))];
      return (await prepared(database, { name: "connection_call_end", text: endSql, values })).length > 0;
    },
    /** Calls that lost their process, the oldest first. */
    async orphaned({
      now,
      limit,
    }: {
      readonly now: Date;
      readonly limit: number;
    }): Promise<readonly ConnectionCall[]> {
      return await database("connection_calls")
        .where("ends_before", "<", now)
        .orderBy("ends_before")
        .limit(limit)
        .select<ConnectionCall[]>(database.raw(table.select()));
    },
  };
}
