import { createHash } from "node:crypto";
import { type AuditRow, eventColumns, eventJson, type StampEvent } from "./audit-events.js";
import { type Connection, connectionTable } from "./connections.js";
import { type Connector, connectorTable } from "./connectors.js";
import { createBatches } from "./postgres/batches.js";
import { type Database, prepared } from "./postgres/database.js";
import { defineTable, orNull } from "./postgres/table.js";
import { type Resource, resourceTable } from "./resources.js";
import type { CallRule } from "../rules/call-rule.js";
import { isGrantLiveSql, isStoppedSql } from "./stop-conditions.js";

/** A request that is being forwarded: through a person's connection, or to a service with a token of this server. */
export interface ForwardedCall {
  readonly id: string;
  /** Its id, and the key of its connector. */
  readonly connection: { readonly id: string; readonly connector: string } | null;
  /** The key of the service, and the grant that the token comes from. */
  readonly service: { readonly resource: string; readonly grantId: string } | null;
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

/** A call before its target is determined. */
type NewCall = Omit<ForwardedCall, "connection" | "service" | "pathTemplate" | "endsBefore">;

/** A call through the person's connection at a connector. */
export interface NewConnectionCall extends NewCall, Pick<ForwardedCall, "pathTemplate"> {
  /** Key of the connector. */
  readonly connector: string;
}

/** A call at the service that covers an address. */
export interface NewServiceCall extends NewCall, Pick<ForwardedCall, "endsBefore"> {
  readonly clientId: string;
  readonly grantId: string;
  readonly origin: string;
  /** Everything that could cover the address: its origin, and that with one path segment after the other. */
  readonly places: readonly string[];
}

/** What a call through a connection is decided with. */
export interface BegunConnectionCall {
  readonly connector: Connector | undefined;
  /** `undefined`: nothing is noted, and nothing may be sent. */
  readonly connection: Connection | undefined;
}

/** What a call at a service is decided with. */
export interface BegunServiceCall {
  /** The service with the longest prefix of the address, in any state. */
  readonly resource: Resource | undefined;
  /** What its path may be called. */
  readonly pathTemplate: string;
  /** Grant, client and person: all of them may act. */
  readonly isLive: boolean;
  /** The service is stopped. */
  readonly isStopped: boolean;
  /** The call is noted. `false`: nothing may be sent. */
  readonly begun: boolean;
}

/** How a call ended. */
export interface EndedCall {
  readonly id: string;
  /** `undefined`: nothing was sent. */
  readonly event: AuditRow | undefined;
}

/** A call that a limit decides about. */
export interface RuleUse {
  /** Of the noted call. */
  readonly id: string;
  /** The id of the service or connector. */
  readonly owner: string;
  readonly rule: CallRule;
  readonly userId: string;
  /** Of the period. */
  readonly startsAt: Date;
  /** How many calls the person may make in it. */
  readonly most: number;
}

/** What a limit counts. Other words, or another number of calls, leave it the same limit. */
function ruleDigest({ methods, path, when, limit }: CallRule): Buffer {
  const counted = JSON.stringify([methods ?? null, path ?? null, when ?? null, limit?.per ?? null]);
  return createHash("sha256").update(counted).digest();
}

/** The rows of calls that may begin; `w` is what is wanted. */
const insertSql = `
  INSERT INTO forwarded_calls (id, connection_id, connector, resource, grant_id, user_id, client_id, request_id, method,
    host, path_template, started_at, ends_before)`;

/** `wanted`: the calls that are given. */
function wantedSql(columns: string): string {
  return `wanted AS (
    SELECT * FROM json_to_recordset($1::json) AS w (position integer, id uuid, user_id uuid, client_id text,
      request_id text, method text, host text, started_at timestamptz, ${columns})
  )`;
}

/** What a call may take beside its time limit: refreshing a token, and looking things up. */
const marginSeconds = 60;

/**
 * The connection is locked, so that a change that blocks it comes before or after the whole statement. It is not written: many
 * requests use one at a time.
 */
const beginThroughConnectionSql = `
  WITH ${wantedSql("connector text, path_template text")}, usable AS (
    SELECT w.position, n.*, c.timeout_seconds + ${marginSeconds} AS most_seconds FROM wanted w
      JOIN connectors c ON c.key = w.connector AND c.enabled
      JOIN users u ON u.id = w.user_id AND u.enabled AND u.paused_at IS NULL
        AND NOT ${isStoppedSql("u.id", "w.client_id", "NULL", "w.started_at")}
      JOIN connections n ON n.user_id = u.id AND n.connector_id = c.id
    WHERE n.state = 'connected' FOR SHARE OF n
  ), begun AS (
    ${insertSql}
    SELECT w.id, n.id, w.connector, NULL, NULL, w.user_id, w.client_id, w.request_id, w.method, w.host,
      w.path_template, w.started_at, w.started_at + make_interval(secs => n.most_seconds)
    FROM wanted w JOIN usable n USING (position)
  )
  SELECT CASE WHEN c.id IS NOT NULL THEN ${connectorTable.toJsonSql("c")} END AS connector,
    CASE WHEN n.id IS NOT NULL THEN ${connectionTable.toJsonSql("n")} END AS connection
  FROM wanted w LEFT JOIN connectors c ON c.key = w.connector LEFT JOIN usable n USING (position) ORDER BY position`;

/** The longest prefix decides, even when its service takes no calls: no other service gets them then. */
const beginAtServiceSql = `
  WITH ${wantedSql("grant_id uuid, origin text, places text[], ends_before timestamptz")}, found AS (
    SELECT w.position, r.*, w.id AS call_id,
      CASE WHEN r.place = w.places[cardinality(w.places)]
        THEN coalesce(nullif(substr(r.place, length(w.origin) + 1), ''), '/')
        ELSE substr(r.place, length(w.origin) + 1) || '/{…}' END AS path_template,
      EXISTS (
        SELECT FROM grants g JOIN clients c ON c.id = g.client_id AND c.enabled AND c.trusted
          JOIN users u ON u.id = g.user_id AND u.enabled AND u.paused_at IS NULL
        WHERE g.id = w.grant_id AND g.user_id = w.user_id AND g.client_id = w.client_id
          AND ${isGrantLiveSql("g", "w.started_at")}
      ) AS is_live, ${isStoppedSql("NULL", "NULL", "r.id", "now()")} AS is_stopped
    FROM wanted w CROSS JOIN LATERAL (
      SELECT s.*, p.place FROM resources s CROSS JOIN LATERAL unnest(s.covers) AS p (place)
      WHERE s.covers && w.places AND p.place = ANY (w.places)
      ORDER BY length(p.place) DESC, s.key LIMIT 1
    ) AS r
  ), begun AS (
    ${insertSql}
    SELECT w.id, NULL, NULL, r.key, w.grant_id, w.user_id, w.client_id, w.request_id, w.method, w.host,
      r.path_template, w.started_at, w.ends_before
    FROM wanted w JOIN found r USING (position) WHERE r.is_live AND NOT r.is_stopped AND r.enabled AND r.agent_calls
    RETURNING id
  )
  SELECT CASE WHEN r.id IS NOT NULL THEN ${resourceTable.toJsonSql("r")} END AS resource,
    r.path_template AS "pathTemplate", r.is_live AS "isLive", r.is_stopped AS "isStopped", EXISTS (SELECT FROM begun b WHERE b.id = w.id) AS begun
  FROM wanted w LEFT JOIN found r USING (position) ORDER BY position`;

/** A use of a limit belongs to a call that is noted. The row of the period is locked until it is counted. */
const reserveSql = `
  WITH counted AS (
    INSERT INTO rule_uses AS u (id, owner_id, rule, user_id, starts_at, calls)
    SELECT gen_random_uuid(), $2::uuid, $3::bytea, $4::uuid, $5::timestamptz, 1
    FROM (SELECT FROM forwarded_calls WHERE id = $1::uuid FOR UPDATE) AS f
    ON CONFLICT (owner_id, rule, user_id, starts_at) DO UPDATE SET calls = u.calls + 1 WHERE u.calls < $6::integer
    RETURNING u.id
  ), noted AS (
    UPDATE forwarded_calls f SET rule_use = counted.id FROM counted WHERE f.id = $1::uuid RETURNING f.id
  )
  SELECT EXISTS (SELECT FROM noted) AS reserved`;

const endedSql = `
  SELECT f.id FROM forwarded_calls f JOIN users u ON u.id = f.user_id
    LEFT JOIN connections n ON n.id = f.connection_id LEFT JOIN grants g ON g.id = f.grant_id
    LEFT JOIN clients c ON c.id = f.client_id LEFT JOIN resources r ON r.key = f.resource
  WHERE f.id = ANY ($1::uuid[]) AND (NOT u.enabled OR u.paused_at IS NOT NULL OR NOT c.enabled OR NOT c.trusted
    OR f.connection_id IS NOT NULL AND n.state IS DISTINCT FROM 'connected'
    OR f.grant_id IS NOT NULL AND (g.id IS NULL OR g.revoked_at IS NOT NULL OR r.enabled IS NOT TRUE)
    OR ${isStoppedSql("f.user_id", "f.client_id", "r.id", "f.started_at")})`;

/**
 * That a connection is used is noted once a minute. A call of which nothing was sent gives its use of a limit back; such calls end one
 * by one.
 */
const endSql = `
  WITH given AS (
    SELECT * FROM json_to_recordset($1::json) AS w (position integer, id uuid, event json)
  ), ended AS (
    DELETE FROM forwarded_calls f USING given w WHERE f.id = w.id
    RETURNING w.position, w.event, f.connection_id, f.started_at, f.rule_use
  ), released AS (
    UPDATE rule_uses u SET calls = u.calls - 1 FROM ended e WHERE u.id = e.rule_use AND e.event IS NULL
  ), recorded AS (
    INSERT INTO audit_events (${eventColumns})
    SELECT ${eventColumns.replaceAll(/\w+/g, "e.$&")} FROM ended
      CROSS JOIN LATERAL json_populate_record(NULL::audit_events, ended.event) AS e
    WHERE ended.event IS NOT NULL ORDER BY ended.position
  ), used AS (
    UPDATE connections n SET last_used_at = e.started_at FROM (
      SELECT connection_id AS id, max(started_at) AS started_at FROM ended
      WHERE connection_id IS NOT NULL AND event IS NOT NULL GROUP BY connection_id
    ) AS e
    WHERE n.id = e.id AND (n.last_used_at IS NULL OR n.last_used_at < e.started_at - interval '1 minute')
  )
  SELECT count(*)::integer AS ended FROM ended`;

const table = defineTable<ForwardedCall>("forwarded_calls", {
  id: "id",
  connection: orNull({ id: "connection_id", connector: "connector" }),
  service: orNull({ resource: "resource", grantId: "grant_id" }),
  userId: "user_id",
  clientId: "client_id",
  requestId: "request_id",
  method: "method",
  host: "host",
  pathTemplate: "path_template",
  startedAt: "started_at",
  endsBefore: "ends_before",
});

export function createForwardedCallStore(database: Database, stamp: StampEvent) {
  return {
    /**
     * Notes a request before anything of it is sent, when the person has a connection there that can be used: connected,
     * at an enabled connector, of an enabled person.
     */
    beginThroughConnection: createBatches<NewConnectionCall, BegunConnectionCall>({
      async run(calls) {
        const values = [JSON.stringify(calls.map(connectionCallRow))];
        const statement = { name: "call_through_connection", text: beginThroughConnectionSql, values };
        const rows = await prepared<ConnectionRow>(database, statement);
        return rows.map(readBegunConnectionCall);
      },
    }),
    /** Notes a request before anything of it is sent, when a service that takes calls covers its address. */
    beginAtService: createBatches<NewServiceCall, BegunServiceCall>({
      async run(calls) {
        const values = [JSON.stringify(calls.map(serviceCallRow))];
        const statement = { name: "call_at_service", text: beginAtServiceSql, values };
        const rows = await prepared<ServiceRow>(database, statement);
        return rows.map(readBegunServiceCall);
      },
    }),
    /**
     * Ends calls with their audit events, in one statement; without an event when nothing was sent. Returns how many of them
     * this is what ended. Each call at most once.
     */
    async end(calls: readonly EndedCall[]): Promise<number> {
      const given = calls.map(({ id, event }, position) => ({
        position,
        id,
        event: event === undefined ? null : eventJson(event, stamp),
      }));
      const values = [JSON.stringify(given)];
      const statement = { name: "forwarded_calls_end", text: endSql, values };
      const [row] = await prepared<{ ended: number }>(database, statement);
      return row?.ended ?? 0;
    },
    /** Counts a noted call in the period of a rule with a limit. Returns whether there was room. */
    async reserve({ id, owner, rule, userId, startsAt, most }: RuleUse): Promise<boolean> {
      const values = [id, owner, ruleDigest(rule), userId, startsAt, most];
      const statement = { name: "rule_use_reserve", text: reserveSql, values };
      const [row] = await prepared<{ reserved: boolean }>(database, statement);
      return row?.reserved ?? false;
    },
    /**
     * Those of these calls that may not go on: the person was disabled or paused, what they rest on has ended, or a stop applies. One
     * statement for all calls of a process.
     */
    async listEnded(ids: readonly string[]): Promise<readonly string[]> {
      const statement = { name: "forwarded_calls_ended", text: endedSql, values: [ids] };
      return (await prepared<{ id: string }>(database, statement)).map(({ id }) => id);
    },
    /** Calls that lost their process, the oldest first. */
    async orphaned({
      now,
      limit,
    }: {
      readonly now: Date;
      readonly limit: number;
    }): Promise<readonly ForwardedCall[]> {
      const rows = await database("forwarded_calls")
        .where("ends_before", "<", now)
        .orderBy("ends_before")
        .limit(limit)
        .select<object[]>(database.raw(table.select()));
      return rows.map((row) => table.fromRow(row));
    },
  };
}

interface ConnectionRow {
  readonly connector: object | null;
  readonly connection: object | null;
}

interface ServiceRow {
  readonly resource: object | null;
  readonly pathTemplate: string | null;
  readonly isLive: boolean | null;
  readonly isStopped: boolean | null;
  readonly begun: boolean;
}

function readBegunConnectionCall({ connector, connection }: ConnectionRow): BegunConnectionCall {
  return {
    connector: connector === null ? undefined : connectorTable.fromJson(connector),
    connection: connection === null ? undefined : connectionTable.fromJson(connection),
  };
}

function readBegunServiceCall({
  resource,
  pathTemplate,
  isLive,
  isStopped,
  begun,
}: ServiceRow): BegunServiceCall {
  return {
    resource: resource === null ? undefined : resourceTable.fromJson(resource),
    pathTemplate: pathTemplate ?? "/{…}",
    isLive: isLive ?? false,
    isStopped: isStopped ?? false,
    begun,
  };
}

function connectionCallRow(call: NewConnectionCall, position: number) {
  return { ...callRow(call, position), connector: call.connector, path_template: call.pathTemplate };
}

function serviceCallRow(call: NewServiceCall, position: number) {
  return {
    ...callRow(call, position),
    grant_id: call.grantId,
    origin: call.origin,
    places: call.places,
    ends_before: call.endsBefore,
  };
}

function callRow(call: NewCall, position: number) {
  const { id, userId, clientId, requestId, method, host, startedAt } = call;
  return {
    position,
    id,
    user_id: userId,
    client_id: clientId,
    request_id: requestId,
    method,
    host,
    started_at: startedAt,
  };
}
