import type { AuditRecord } from "./audit-events.js";
import { findEvents, type WordSearch } from "./audit-word-search.js";
import { type ClientSource, clientHost } from "./clients.js";
import { type Database, queryRows } from "./postgres/database.js";

/** How far the words and the counts of the audit trail go. */
interface AuditIndexProgress {
  readonly throughEventId: string;
  /** When that event happened; `null` before the first. */
  readonly throughAt: Date | null;
}

/** What some sealed events add, all of it or nothing. */
export interface AuditIndexBatch {
  /** The progress that this batch continues. */
  readonly afterEventId: string;
  readonly throughEventId: string;
  readonly throughAt: Date;
  readonly words: readonly {
    readonly eventId: string;
    readonly at: string;
    readonly words: readonly string[];
  }[];
  readonly counts: readonly AuditCount[];
  /** Tokens issued per resource identifier and day. */
  readonly resources: readonly { readonly day: string; readonly resource: string; readonly count: number }[];
  readonly clients: readonly ClientCount[];
  /** Each client and person once, with the last hour. */
  readonly clientPeople: readonly ClientPerson[];
}

/** Tokens issued to a client in one hour, and refusals. */
export interface ClientCount {
  readonly hour: Date;
  readonly clientId: string;
  readonly issued: number;
  readonly denied: number;
}

/** The last hour in which a client was of use to a person, or was refused. */
export interface ClientPerson {
  readonly clientId: string;
  readonly userId: string;
  readonly lastHour: Date;
}

/** What went through a client since some hour. */
export interface ClientUse {
  readonly issued: number;
  readonly denied: number;
  readonly people: number;
}

/** Events of one type with one outcome in one hour. */
export interface AuditCount {
  readonly hour: Date;
  readonly type: string;
  readonly outcome: string;
  readonly count: number;
}

/** Issued and refused in one hour or one day. */
export interface IssuanceCount {
  readonly at: Date;
  readonly issued: number;
  readonly denied: number;
}

/** The current name of a person or thing in an event. */
export interface AuditName {
  /** Of a resource, its identifier; of a provider, its key. */
  readonly id: string;
  readonly type: "user" | "client" | "resource" | "identity-provider" | "group-provider";
  /** Of a resource or a provider. */
  readonly key: string | null;
  readonly email: string | null;
  readonly name: string | null;
  /** Of a client with a metadata document: where that is. */
  readonly host?: string;
}

type NameRow = Omit<AuditName, "host"> & { readonly source: ClientSource | null };

const addWordsSql = `
  INSERT INTO audit_search (event_id, at, words)
  SELECT (event->>0)::bigint, (event->>1)::timestamptz,
    array_to_tsvector(ARRAY(SELECT jsonb_array_elements_text(event->2)))
  FROM jsonb_array_elements(?::jsonb) AS event`;

const addCountsSql = `
  INSERT INTO audit_counts (hour, type, outcome, count)
  SELECT * FROM jsonb_to_recordset(?::jsonb) AS new (hour timestamptz, type text, outcome text, count bigint)
  ON CONFLICT (hour, type, outcome) DO UPDATE SET count = audit_counts.count + excluded.count`;

const addResourcesSql = `
  INSERT INTO audit_resource_counts (day, resource, count)
  SELECT * FROM jsonb_to_recordset(?::jsonb) AS new (day date, resource text, count bigint)
  ON CONFLICT (day, resource) DO UPDATE SET count = audit_resource_counts.count + excluded.count`;

const addClientsSql = `
  INSERT INTO audit_client_counts (hour, client_id, issued, denied)
  SELECT hour, "clientId", issued, denied
  FROM jsonb_to_recordset(?::jsonb) AS new (hour timestamptz, "clientId" text, issued bigint, denied bigint)
  ON CONFLICT (client_id, hour) DO UPDATE
    SET issued = audit_client_counts.issued + excluded.issued, denied = audit_client_counts.denied + excluded.denied`;

/** At most one write an hour for each client and person. */
const addClientPeopleSql = `
  INSERT INTO audit_client_people (client_id, user_id, last_hour)
  SELECT "clientId", "userId", "lastHour"
  FROM jsonb_to_recordset(?::jsonb) AS new ("clientId" text, "userId" text, "lastHour" timestamptz)
  ON CONFLICT (client_id, user_id) DO UPDATE SET last_hour = excluded.last_hour
    WHERE audit_client_people.last_hour < excluded.last_hour`;

const addSkillReadsSql = `
  INSERT INTO skill_reads (hour, skill_id, count)
  SELECT hour, "skillId", count FROM jsonb_to_recordset(?::jsonb) AS new (hour timestamptz, "skillId" text, count bigint)
  ORDER BY 1, 2
  ON CONFLICT (hour, skill_id) DO UPDATE SET count = skill_reads.count + excluded.count`;

/** Issued tokens count once, when they leave the server; all refusals count as denied. */
const issuancesSql = `
  SELECT date_trunc(?, hour, 'UTC') AS at,
    coalesce(sum(count) FILTER (WHERE outcome = 'success'
      AND type IN ('token.issued', 'assertion.issued', 'machine_token.issued')), 0)::float8 AS issued,
    coalesce(sum(count) FILTER (WHERE outcome <> 'success'), 0)::float8 AS denied
  FROM audit_counts WHERE hour >= ? GROUP BY 1 ORDER BY 1`;

const topResourcesSql = `
  SELECT resource, sum(count)::float8 AS count FROM audit_resource_counts WHERE day >= ?::date
  GROUP BY resource ORDER BY 2 DESC, 1 LIMIT ?`;

const topSkillsSql = `
  SELECT skill_id AS "skillId", sum(count)::float8 AS count FROM skill_reads WHERE hour >= ?
  GROUP BY skill_id ORDER BY 2 DESC, 1 LIMIT ?`;

const clientUseSql = `
  SELECT coalesce(sum(issued), 0)::float8 AS issued, coalesce(sum(denied), 0)::float8 AS denied,
    (SELECT count(*)::float8 FROM audit_client_people WHERE client_id = ? AND last_hour >= ?) AS people
  FROM audit_client_counts WHERE client_id = ? AND hour >= ?`;

/** Counts people only for the clients that are shown. */
const topClientsSql = `
  WITH top AS (
    SELECT client_id, sum(issued)::float8 AS issued, sum(denied)::float8 AS denied
    FROM audit_client_counts WHERE hour >= ? GROUP BY client_id
    ORDER BY 2 DESC, 3 DESC, 1 LIMIT ?)
  SELECT client_id AS "clientId", issued, denied,
    (SELECT count(*)::float8 FROM audit_client_people p WHERE p.client_id = top.client_id AND p.last_hour >= ?) AS people
  FROM top ORDER BY issued DESC, denied DESC, client_id`;

const namesSql = `
  SELECT id::text, 'user' AS type, NULL AS key, email, name, NULL AS source FROM users WHERE id = ANY (?::uuid[])
  UNION ALL SELECT id, 'client', NULL, NULL, name, source FROM clients WHERE id = ANY (?::text[])
  UNION ALL SELECT resource, 'resource', key, NULL, name, NULL FROM resources WHERE resource = ANY (?::text[])
  UNION ALL SELECT key, 'identity-provider', key, NULL, name, NULL FROM identity_providers WHERE key = ANY (?::text[])
  UNION ALL SELECT key, 'group-provider', key, NULL, name, NULL FROM group_providers WHERE key = ANY (?::text[])`;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function createAuditSearchStore(database: Database) {
  const run = <Row>(text: string, values: readonly unknown[]) => queryRows<Row>(database, text, values);
  /** With memory for the rows of a frequent word: without it whole pages are checked again. */
  async function runLarge<Row>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    return await database.transaction(async (transaction) => {
      await transaction.raw("SET LOCAL work_mem = '48MB'");
      return await queryRows<Row>(transaction, text, values);
    });
  }

  return {
    async progress(): Promise<AuditIndexProgress> {
      const [row] = await run<{ throughEventId: string; throughAt: Date | null }>(
        `SELECT through_event_id::text AS "throughEventId", through_at AS "throughAt" FROM audit_index_progress`,
        [],
      );
      if (row === undefined) throw new Error("The row of audit_index_progress is missing.");
      return row;
    },
    /** Call it inside a transaction. @throws Error when another process has indexed these events. */
    async add({
      afterEventId,
      throughEventId,
      throughAt,
      words,
      counts,
      resources,
      clients,
      clientPeople,
    }: AuditIndexBatch): Promise<void> {
      const moved = await database("audit_index_progress")
        .where({ through_event_id: afterEventId })
        .update({ through_event_id: throughEventId, through_at: throughAt });
      if (moved === 0) throw new Error("Another process has indexed these events.");
      await run(addWordsSql, [
        JSON.stringify(words.map(({ eventId, at, words: own }) => [eventId, at, own])),
      ]);
      await run(addCountsSql, [JSON.stringify(counts)]);
      if (resources.length > 0) await run(addResourcesSql, [JSON.stringify(resources)]);
      if (clients.length > 0) await run(addClientsSql, [JSON.stringify(clients)]);
      if (clientPeople.length > 0) await run(addClientPeopleSql, [JSON.stringify(clientPeople)]);
    },
    /** The people, clients and resources among these ids and resource identifiers, and the providers with these keys. */
    async findNames(
      ids: readonly string[],
      providerKeys: readonly string[] = [],
    ): Promise<readonly AuditName[]> {
      const people = ids.filter((id) => uuid.test(id));
      const providers = [...providerKeys];
      const rows = await run<NameRow>(namesSql, [people, [...ids], [...ids], providers, providers]);
      return rows.map(({ source, ...name }) => {
        const host = source === null ? null : clientHost({ id: name.id, source });
        return host === null ? name : { ...name, host };
      });
    },
    /**
     * Events that match the filter, newest first: the search of `auditEvents` for filters that no single index serves. Each
     * of the terms is the beginning of a word; with terms, only events that are indexed are found.
     */
    find: (search: WordSearch): Promise<readonly AuditRecord[]> => findEvents(search, { run, runLarge }),
    /** Hours or days in which something happened, oldest first. */
    countIssuances: ({
      unit,
      from,
    }: {
      unit: "hour" | "day";
      from: Date;
    }): Promise<readonly IssuanceCount[]> => run<IssuanceCount>(issuancesSql, [unit, from]),
    topResources: ({
      fromDay,
      limit,
    }: {
      fromDay: string;
      limit: number;
    }): Promise<readonly { readonly resource: string; readonly count: number }[]> =>
      run(topResourcesSql, [fromDay, limit]),
    /** What went through a client since this hour. */
    async countClientUse({ clientId, from }: { clientId: string; from: Date }): Promise<ClientUse> {
      const [use] = await run<ClientUse>(clientUseSql, [clientId, from, clientId, from]);
      return use ?? { issued: 0, denied: 0, people: 0 };
    },
    topClients: ({
      from,
      limit,
    }: {
      from: Date;
      limit: number;
    }): Promise<readonly (ClientUse & { readonly clientId: string })[]> =>
      run(topClientsSql, [from, limit, from]),
    topSkills: ({
      from,
      limit,
    }: {
      from: Date;
      limit: number;
    }): Promise<readonly { readonly skillId: string; readonly count: number }[]> =>
      run(topSkillsSql, [from, limit]),
    /** Adds the reads since the last call. */
    async addSkillReads(
      reads: readonly { readonly hour: Date; readonly skillId: string; readonly count: number }[],
    ): Promise<void> {
      if (reads.length > 0) await run(addSkillReadsSql, [JSON.stringify(reads)]);
    },
  };
}
