import type {
  AuditEventStore,
  AuditFilter,
  AuditRange,
  AuditRecord,
  EventProof,
  StampEvent,
} from "../audit-events.js";
import { bytea, type Database, prepared } from "./database.js";

const appendSql = `
  INSERT INTO audit_events
    (at, type, version, outcome, actor_type, actor_id, subject, client_id, request_id, data, mac)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

const appendAllSql = `
  INSERT INTO audit_events
    (at, type, version, outcome, actor_type, actor_id, subject, client_id, request_id, data, mac)
  SELECT at, type, version, outcome, "actorType", "actorId", subject, "clientId", "requestId", data, mac
  FROM ROWS FROM (jsonb_to_recordset(?::jsonb) AS (at timestamptz, type text, version integer, outcome text,
    "actorType" text, "actorId" text, subject text, "clientId" text, "requestId" text, data jsonb, mac bytea))
    WITH ORDINALITY
  ORDER BY ordinality`;

/** A copy has the moment of its original, so the index over the time finds the few that it can be a copy of. */
const proofsSql = `
  SELECT id::text, mac, EXISTS (
    SELECT FROM audit_events o WHERE o.at = e.at AND o.id < e.id AND o.mac = e.mac) AS copied
  FROM audit_events e WHERE id > ? AND id <= ? ORDER BY e.id`;

/** The driver would round the time to milliseconds, and an edit below that would go unnoticed. */
export const auditColumns = `id::text, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, type, version, outcome,
  actor_type AS "actorType", actor_id AS "actorId", subject, client_id AS "clientId", request_id AS "requestId", data`;

export function createAuditEventStore(database: Database, stamp: StampEvent): AuditEventStore {
  return {
    async append(row) {
      const { at, type, version, outcome, actorType, actorId, subject, clientId, requestId } = row;
      const data = JSON.stringify(row.data);
      const who = [actorType, actorId, subject, clientId, requestId];
      const values = [at, type, version, outcome, ...who, data, stamp(row)];
      await prepared(database, { name: "audit_append", text: appendSql, values });
    },
    async appendAll(rows) {
      const stamped = rows.map((row) => ({ ...row, mac: bytea(stamp(row)) }));
      if (rows.length > 0) await database.raw(appendAllSql, [JSON.stringify(stamped)]);
    },
    readProofs: ({ afterId, throughId }) =>
      run<EventProof>(database, { text: proofsSql, values: [afterId, throughId] }),
    read: (range) => run(database, auditReadStatement(range)),
    async findBounds({ from, until }) {
      const { text, values } = where([
        ["at >= ?", from],
        ["at < ?", until],
      ]);
      // OFFSET 0 keeps the planner from looking for the smallest id through the whole table.
      const range = `SELECT id FROM audit_events ${text} OFFSET 0`;
      const statement = {
        text: `SELECT min(id)::text AS "firstId", max(id)::text AS "lastId" FROM (${range}) AS range`,
        values,
      };
      const [row] = await run<{ firstId: string | null; lastId: string | null }>(database, statement);
      if (row === undefined || row.firstId === null || row.lastId === null) return undefined;
      return { firstId: row.firstId, lastId: row.lastId };
    },
  };
}

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

function auditReadStatement({ afterId, throughId, from, until, limit }: AuditRange): Statement {
  const { text, values } = where([
    ["id > ?", afterId],
    ["id <= ?", throughId],
    ["at >= ?", from],
    ["at < ?", until],
  ]);
  return {
    text: `SELECT ${auditColumns} FROM audit_events ${text} ORDER BY audit_events.id LIMIT ?`,
    values: [...values, limit],
  };
}

/** Every order is (at, id), so that each condition has an index which brings the rows in order. */
export function auditSearchStatement(search: AuditSearch & { limit: number }): Statement {
  const { types = [], limit, ...rest } = search;
  const order = "ORDER BY audit_events.at DESC, audit_events.id DESC LIMIT ?";
  if (types.length < 2) {
    const { text, values } = where(conditionsOf(search));
    return {
      text: `SELECT ${auditColumns} FROM audit_events ${text} ${order}`,
      values: [...values, limit],
    };
  }
  // The newest of each type, and of those the newest: one index for each, however rare it is.
  const ofOneType = where([["type = wanted.name", []], ...conditionsOf(rest)]);
  return {
    text: `SELECT ${auditColumns} FROM unnest(?::text[]) AS wanted (name) CROSS JOIN LATERAL (
        SELECT * FROM audit_events ${ofOneType.text} ${order}
      ) AS audit_events ${order}`,
    values: [[...new Set(types)], ...ofOneType.values, limit, limit],
  };
}

export type AuditSearch = { readonly [Member in keyof AuditFilter]?: AuditFilter[Member] | undefined } & {
  readonly before?: Pick<AuditRecord, "at" | "id"> | undefined;
};
export type Condition = readonly [text: string, value: unknown];

/** The conditions of a search; those without a value do not count. */
export function conditionsOf({ types = [], before, ...search }: AuditSearch): readonly Condition[] {
  return [
    types.length < 2 ? ["type = ?", types[0]] : ["type = ANY (?)", [[...types]]],
    ["actor_id = ?", search.actorId],
    ["subject = ?", search.subject],
    ["client_id = ?", search.clientId],
    ["outcome = ?", search.outcome],
    ["at >= ?", search.from],
    ["at < ?", search.until],
    ["(at, id) < (?::timestamptz, ?::bigint)", before && [before.at, before.id]],
  ];
}

export function where(conditions: readonly Condition[]): Statement {
  const present = conditions.filter(([, value]) => value !== undefined);
  const text = present.map(([condition]) => condition).join(" AND ");
  return { text: text === "" ? "" : `WHERE ${text}`, values: present.flatMap(([, value]) => value) };
}

async function run<Row = AuditRecord>(
  database: Database,
  { text, values }: Statement,
): Promise<readonly Row[]> {
  const result: { rows: Row[] } = await database.raw(text, values as readonly string[]);
  return result.rows;
}
