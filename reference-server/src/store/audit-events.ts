import type { Owned } from "./owners.js";
import { bytea, type Database, prepared, queryRows } from "./postgres/database.js";
import { defineTable, json } from "./postgres/table.js";

/** One row of the append-only audit trail, before the database numbers it. */
export interface AuditRow {
  readonly at: Date;
  readonly type: string;
  readonly version: number;
  readonly outcome: AuditOutcome;
  readonly actorType: "user" | "client" | "operator" | "system";
  readonly actorId: string | null;
  readonly subject: string | null;
  readonly clientId: string | null;
  readonly requestId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

type AuditOutcome = "success" | "denied" | "failed";

/** A stored row, exactly as the database has it. */
export interface AuditRecord extends Omit<AuditRow, "at"> {
  /** Decimal digits. Ids grow, with gaps: a rolled-back transaction leaves one. */
  readonly id: string;
  /** UTC with microseconds, `2026-11-20T12:00:00.000000Z`. */
  readonly at: string;
}

/** Which rows, in the order of their ids. */
interface AuditRange {
  /** Only rows after this id. */
  readonly afterId: string;
  /** Only rows up to and including this id. */
  readonly throughId?: string;
  readonly from?: Date;
  /** Exclusive. */
  readonly until?: Date;
  readonly limit: number;
}

/** The conditions of an audit search; all must hold. */
export interface AuditFilter {
  readonly from?: Date;
  /** Exclusive. */
  readonly until?: Date;
  /** Any of these. */
  readonly types?: readonly string[];
  readonly actorId?: string;
  /** Events about a person: by id, and by address alone, as those of assignments made before the first sign-in. */
  readonly subject?:
    | { readonly id: string; readonly email?: string | undefined }
    | { readonly id?: string | undefined; readonly email: string };
  readonly clientId?: string;
  readonly outcome?: AuditOutcome;
  /** Events about a service, by its identifier and its key. */
  readonly service?: { readonly resource: string | undefined; readonly key: string };
  /** Events about the connector with this key. */
  readonly connector?: string;
  /** Only events about what somebody owns. */
  readonly owned?: Owned;
  /** The one event with this number. */
  readonly id?: string;
}

/** Creates the proof that this server recorded a row. The store calls it for every row. */
export type StampEvent = (row: AuditRow) => Buffer;

/** The proof of a row. */
export interface EventProof {
  readonly id: string;
  /** `null`: inserted by something other than the server. */
  readonly mac: Buffer | null;
  /** Another row came before it with the same proof. */
  readonly copied: boolean;
}

const table = defineTable<AuditRow & { readonly mac: Buffer }>("audit_events", {
  at: "at",
  type: "type",
  version: "version",
  outcome: "outcome",
  actorType: "actor_type",
  actorId: "actor_id",
  subject: "subject",
  clientId: "client_id",
  requestId: "request_id",
  data: json("data"),
  mac: "mac",
});

/** What an event has before the database numbers it. */
export const eventColumns: string = table.columns.join(", ");

/** The values of `eventColumns`. */
function eventValues(row: AuditRow, stamp: StampEvent): readonly unknown[] {
  return Object.values(table.toRow({ ...row, mac: stamp(row) }));
}

/** The same as JSON, for `json_populate_record(NULL::audit_events, ...)`. */
export function eventJson(row: AuditRow, stamp: StampEvent): object {
  return { ...table.toRow(row), data: row.data, mac: bytea(stamp(row)) };
}

const places = table.columns.map((_, index) => `$${index + 1}`).join(", ");
const appendSql = `INSERT INTO audit_events (${eventColumns}) VALUES (${places})`;

const appendAllSql = `
  INSERT INTO audit_events (${eventColumns})
  SELECT ${eventColumns} FROM jsonb_populate_recordset(NULL::audit_events, ?::jsonb) WITH ORDINALITY
  ORDER BY ordinality`;

/** A copy has the time of its original, so the index on the time finds the few candidates. */
const proofsSql = `
  SELECT id::text, mac, EXISTS (
    SELECT FROM audit_events o WHERE o.at = e.at AND o.id < e.id AND o.mac = e.mac) AS copied
  FROM audit_events e WHERE id > ? AND id <= ? ORDER BY e.id`;

/** The driver would round the time to milliseconds, and an edit below that would go unnoticed. */
export const auditColumns = `id::text, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, type, version, outcome,
  actor_type AS "actorType", actor_id AS "actorId", subject, client_id AS "clientId", request_id AS "requestId", data`;

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export type AuditSearch = { readonly [Member in keyof AuditFilter]?: AuditFilter[Member] | undefined } & {
  readonly before?: Pick<AuditRecord, "at" | "id"> | undefined;
};

type Condition = readonly [text: string, value: unknown];

export function createAuditEventStore(database: Database, stamp: StampEvent) {
  return {
    async append(row: AuditRow): Promise<void> {
      await prepared(database, { name: "audit_append", text: appendSql, values: eventValues(row, stamp) });
    },
    /** The same for many rows with one statement; they are numbered in this order. */
    async appendAll(rows: readonly AuditRow[]): Promise<void> {
      const events = rows.map((row) => eventJson(row, stamp));
      if (events.length > 0) await database.raw(appendAllSql, [JSON.stringify(events)]);
    },
    /** The proofs of a range of ids, in their order. */
    readProofs: ({
      afterId,
      throughId,
    }: {
      afterId: string;
      throughId: string;
    }): Promise<readonly EventProof[]> =>
      run<EventProof>(database, { text: proofsSql, values: [afterId, throughId] }),
    /** Rows of a range, oldest first. */
    read: (range: AuditRange): Promise<readonly AuditRecord[]> => run(database, auditReadStatement(range)),
    /** The smallest and the largest id of a time range; `undefined` when nothing is in it. */
    async findBounds({
      from,
      until,
    }: {
      from?: Date;
      until?: Date;
    }): Promise<{ readonly firstId: string; readonly lastId: string } | undefined> {
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

export function auditSearchStatement(search: AuditSearch & { limit: number }): Statement {
  const { types = [], limit, ...rest } = search;
  if (types.length < 2) {
    const { text, values } = newestEvents(search);
    return { text: `SELECT ${auditColumns} FROM (${text}) AS audit_events ${newestFirst}`, values };
  }
  // The newest of each type, each by its index, and of those the newest.
  const ofOneType = newestEvents({ ...rest, limit }, ["type = wanted.name", []]);
  return {
    text: `SELECT ${auditColumns} FROM unnest(?::text[]) AS wanted (name)
      CROSS JOIN LATERAL (${ofOneType.text}) AS audit_events ${newestFirst} LIMIT ?`,
    values: [[...new Set(types)], ...ofOneType.values, limit],
  };
}

/** Every order is (at, id), so that each condition has an index which brings the rows in order. */
const newestFirst = "ORDER BY audit_events.at DESC, audit_events.id DESC";

/** The newest rows of a search. Events about a person come from two indexes, each in order; one condition could use neither. */
export function newestEvents(
  { subject, limit, ...search }: AuditSearch & { limit: number },
  ...more: readonly Condition[]
): Statement {
  const halves = subject === undefined ? [[]] : aboutPerson(subject);
  const parts = halves
    .map((half) => where([...half, ...more, ...conditionsOf(search)]))
    .map(({ text, values }) => ({
      text: `SELECT * FROM audit_events ${text} ${newestFirst} LIMIT ?`,
      values: [...values, limit],
    }));
  const [only, other] = parts;
  if (only !== undefined && other === undefined) return only;
  return {
    text: `SELECT * FROM (${parts.map(({ text }) => `(${text})`).join(" UNION ALL ")}) AS audit_events ${newestFirst} LIMIT ?`,
    values: [...parts.flatMap(({ values }) => values), limit],
  };
}

/** Events with the person's id, and those with the address alone. */
function aboutPerson({ id, email }: NonNullable<AuditSearch["subject"]>): readonly (readonly Condition[])[] {
  const halves: readonly Condition[] = [
    ["subject = ?", id],
    ["subject IS NULL AND data->>'email' = ?", email],
  ];
  return halves.filter(([, value]) => value !== undefined).map((half) => [half]);
}

/** The conditions of a search; those without a value do not count. */
export function conditionsOf({
  types = [],
  before,
  subject,
  service,
  connector,
  owned,
  ...search
}: AuditSearch): readonly Condition[] {
  return [
    [ownedSql, owned && ownedValues(owned)],
    ["id = ?", search.id],
    types.length < 2 ? ["type = ?", types[0]] : ["type = ANY (?)", [[...types]]],
    ["actor_id = ?", search.actorId],
    [
      "(subject = ? OR (subject IS NULL AND data->>'email' = ?))",
      subject && [subject.id ?? null, subject.email ?? null],
    ],
    ["client_id = ?", search.clientId],
    ["outcome = ?", search.outcome],
    [
      "(data->>'resource' = ANY (?) OR (type LIKE 'resource.%' AND data->>'key' = ?))",
      service && [serviceIds(service), service.key],
    ],
    [
      `(data->>'connector' = ? OR (type LIKE 'connector.%' AND data->>'key' = ?)
        OR (data->>'kind' = 'connector' AND data->>'target' = ?))`,
      connector === undefined ? undefined : [connector, connector, connector],
    ],
    ["at >= ?", search.from],
    ["at < ?", search.until],
    ["(at, id) < (?::timestamptz, ?::bigint)", before && [before.at, before.id]],
  ];
}

/** Events about services and connectors that somebody owns, and about who has the scopes of these. */
const ownedSql = `(data->>'resource' = ANY (?) OR (type LIKE 'resource.%' AND data->>'key' = ANY (?))
  OR data->>'connector' = ANY (?) OR (type LIKE 'connector.%' AND data->>'key' = ANY (?))
  OR (data->>'kind' = 'service' AND data->>'target' = ANY (?))
  OR (data->>'kind' = 'connector' AND data->>'target' = ANY (?))
  OR (type LIKE 'assignment.%' AND data->>'scope' = ANY (?)))`;

function ownedValues({ services, connectors, scopes }: Owned): readonly (readonly string[])[] {
  const serviceKeys = services.map(({ key }) => key);
  const connectorKeys = connectors.map(({ key }) => key);
  const names = services.flatMap(({ key, resource }) => [key, resource]);
  return [names, serviceKeys, connectorKeys, connectorKeys, serviceKeys, connectorKeys, scopes];
}

/** The names of a service in events: its identifier in most of them, its key in the others. */
export function serviceIds({ resource, key }: NonNullable<AuditFilter["service"]>): readonly string[] {
  return resource === undefined ? [key] : [resource, key];
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
  return await queryRows(database, text, values);
}
