import type { AuditRecord } from "../audit-events.js";
import type { AuditSearchStore, IssuanceCount } from "../audit-search.js";
import { auditColumns, auditConditions, auditSearchStatement, type Statement } from "./audit-events.js";
import type { Database } from "./database.js";

/** The newest events that are looked through one by one before the index is asked. */
const sampleSize = 5_000;

const addWordsSql = `
  INSERT INTO audit_search (event_id, words)
  SELECT (event->>0)::bigint, array_to_tsvector(ARRAY(SELECT jsonb_array_elements_text(event->1)))
  FROM jsonb_array_elements(?::jsonb) AS event`;

const addCountsSql = `
  INSERT INTO audit_counts (hour, type, outcome, count)
  SELECT * FROM jsonb_to_recordset(?::jsonb) AS new (hour timestamptz, type text, outcome text, count bigint)
  ON CONFLICT (hour, type, outcome) DO UPDATE SET count = audit_counts.count + excluded.count`;

const addResourcesSql = `
  INSERT INTO audit_resource_counts (day, resource, count)
  SELECT * FROM jsonb_to_recordset(?::jsonb) AS new (day date, resource text, count bigint)
  ON CONFLICT (day, resource) DO UPDATE SET count = audit_resource_counts.count + excluded.count`;

const addSkillReadsSql = `
  INSERT INTO skill_reads (day, skill_id, count)
  SELECT day, "skillId", count FROM jsonb_to_recordset(?::jsonb) AS new (day date, "skillId" text, count bigint)
  ORDER BY 1, 2
  ON CONFLICT (day, skill_id) DO UPDATE SET count = skill_reads.count + excluded.count`;

/** What counts as issued is counted once, when it leaves the server; everything that was refused counts as denied. */
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
  SELECT skill_id AS "skillId", sum(count)::float8 AS count FROM skill_reads WHERE day >= ?::date
  GROUP BY skill_id ORDER BY 2 DESC, 1 LIMIT ?`;

const namesSql = `
  SELECT id::text, 'user' AS type, NULL AS key, email, name FROM users WHERE id = ANY (?::uuid[])
  UNION ALL SELECT id, 'client', NULL, NULL, name FROM clients WHERE id = ANY (?::text[])
  UNION ALL SELECT resource, 'resource', key, NULL, name FROM resources WHERE resource = ANY (?::text[])`;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function createAuditSearchStore(database: Database): AuditSearchStore {
  async function run<Row>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const result: { rows: Row[] } = await database.raw(text, values as readonly string[]);
    return result.rows;
  }

  return {
    async progress() {
      const [row] = await run<{ throughEventId: string; throughAt: Date | null }>(
        `SELECT through_event_id::text AS "throughEventId", through_at AS "throughAt" FROM audit_index_progress`,
        [],
      );
      if (row === undefined) throw new Error("The row of audit_index_progress is missing.");
      return row;
    },
    async add({ afterEventId, throughEventId, throughAt, words, counts, resources }) {
      const moved = await database("audit_index_progress")
        .where({ through_event_id: afterEventId })
        .update({ through_event_id: throughEventId, through_at: throughAt });
      if (moved === 0) throw new Error("Another process has indexed these events.");
      await run(addWordsSql, [JSON.stringify(words.map((event) => [event.eventId, event.words]))]);
      await run(addCountsSql, [JSON.stringify(counts)]);
      if (resources.length > 0) await run(addResourcesSql, [JSON.stringify(resources)]);
    },
    findNames: (ids) => run(namesSql, [ids.filter((id) => uuid.test(id)), [...ids], [...ids]]),
    async find(search) {
      const sample = wordSampleStatement(search);
      const [found] = await run<{ seen: number; items: AuditRecord[] }>(sample.text, sample.values);
      const { seen, items } = found ?? { seen: 0, items: [] };
      if (items.length >= search.limit || seen < sampleSize) return items;
      const all = wordSearchStatement(search);
      return await run<AuditRecord>(all.text, all.values);
    },
    countIssuances: ({ unit, from }) => run<IssuanceCount>(issuancesSql, [unit, from]),
    topResources: ({ fromDay, limit }) => run(topResourcesSql, [fromDay, limit]),
    topSkills: ({ fromDay, limit }) => run(topSkillsSql, [fromDay, limit]),
    async addSkillReads(reads) {
      if (reads.length > 0) await run(addSkillReadsSql, [JSON.stringify(reads)]);
    },
  };
}

type WordSearch = Parameters<AuditSearchStore["find"]>[0];

/**
 * Looks through the newest events that match the filter: a frequent word is found at once, where the index would have to
 * read and sort millions of rows.
 */
export function wordSampleStatement(search: WordSearch): Statement {
  const newest = auditSearchStatement({ ...search, limit: sampleSize });
  return {
    text: `WITH newest AS MATERIALIZED (${newest.text}),
      found AS (
        SELECT newest.* FROM newest JOIN audit_search s ON s.event_id = newest.id::bigint
        WHERE s.words @@ ?::tsquery ORDER BY newest.at DESC, newest.id::bigint DESC LIMIT ?)
      SELECT (SELECT count(*)::integer FROM newest) AS seen,
        coalesce((SELECT json_agg(found) FROM found), '[]') AS items`,
    values: [...newest.values, toQuery(search.terms), search.limit],
  };
}

/** A word that is rare among the newest events: the index brings all that have it, which are then sorted. */
export function wordSearchStatement(search: WordSearch): Statement {
  const { text: conditions, values } = auditConditions(search);
  return {
    text: `WITH found AS MATERIALIZED (SELECT event_id FROM audit_search WHERE words @@ ?::tsquery)
      SELECT ${auditColumns} FROM audit_events WHERE id IN (SELECT event_id FROM found) ${conditions}
      ORDER BY audit_events.at DESC, audit_events.id DESC LIMIT ?`,
    values: [toQuery(search.terms), ...values, search.limit],
  };
}

/** Each term as a quoted prefix; `::tsquery` takes it as it is. */
function toQuery(terms: readonly string[]): string {
  return terms.map((term) => `'${term.replace(/['\\]/g, "$&$&")}':*`).join(" & ");
}
