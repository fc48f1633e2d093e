import type { AuditEventStore, AuditRow } from "../audit-events.js";
import type { Database } from "./database.js";
import { prepared } from "./database.js";

const appendSql = `
  INSERT INTO audit_events
    (at, type, version, outcome, actor_type, actor_id, subject, client_id, request_id, data)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;

export function createAuditEventStore(database: Database): AuditEventStore {
  return {
    async append(row) {
      const { at, type, version, outcome, actorType, actorId, subject, clientId, requestId } = row;
      const data = JSON.stringify(row.data);
      const values = [at, type, version, outcome, actorType, actorId, subject, clientId, requestId, data];
      await prepared(database, { name: "audit_append", text: appendSql, values });
    },
    async list({ afterId = "0", limit }) {
      return await database("audit_events")
        .select<(AuditRow & { id: string })[]>({
          id: "id",
          at: "at",
          type: "type",
          version: "version",
          outcome: "outcome",
          actorType: "actor_type",
          actorId: "actor_id",
          subject: "subject",
          clientId: "client_id",
          requestId: "request_id",
          data: "data",
        })
        .where("id", ">", afterId)
        .orderBy("id")
        .limit(limit);
    },
  };
}
