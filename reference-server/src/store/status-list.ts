import { type Database, prepared } from "./postgres/database.js";

/** Time for which an ended entry is listed: longer than any token lives that came from its holder, at a service too. */
const listedFor = "interval '1 hour'";

const liveGrants = "revoked_at IS NULL AND expires_at > now() AND created_at < o.before";
const liveEntries = "user_id IS NOT NULL AND free_at > now() AND drawn_at < o.before";

/** `OFFSET 0` keeps a lookup for each row of `off`, which has few: the planner would read a whole table for the rows that it expects. */
const ofOff = (when: string, table: string, where: string): string =>
  `UNION ALL SELECT e.status_index FROM off o, LATERAL (
      SELECT status_index FROM ${table} WHERE ${where} OFFSET 0) AS e WHERE ${when}`;

/**
 * The entries that are *invalid* now, from the rows that decide: ending something writes nothing here. Tombstones (`ended_at`) stand for
 * rows that were removed.
 */
const endedSql = `
  WITH off AS MATERIALIZED (
    SELECT id AS user_id, NULL::text AS client_id, NULL::uuid AS resource_id, 'infinity'::timestamptz AS before
    FROM users WHERE NOT enabled AND updated_at > now() - ${listedFor}
    UNION ALL SELECT id, NULL, NULL, 'infinity' FROM users WHERE paused_at > now() - ${listedFor}
    UNION ALL SELECT NULL, id, NULL, 'infinity' FROM clients
      WHERE NOT (enabled AND trusted) AND updated_at > now() - ${listedFor}
    UNION ALL SELECT user_id, client_id, resource_id, CASE WHEN stopped THEN 'infinity' ELSE not_before END FROM stops
      WHERE not_before > now() - ${listedFor} AND NOT (key = 'all' AND stopped)
  ), ended AS (
    SELECT status_index FROM status_entries WHERE ended_at > now() - ${listedFor}
    UNION ALL SELECT status_index FROM grants WHERE revoked_at > now() - ${listedFor}
    ${ofOff(
      "o.user_id IS NOT NULL",
      "grants",
      `user_id = o.user_id AND (o.client_id IS NULL OR client_id = o.client_id) AND ${liveGrants}`,
    )}
    ${ofOff(
      "o.user_id IS NOT NULL",
      "status_entries",
      `user_id = o.user_id AND (o.client_id IS NULL OR client_id = o.client_id) AND ${liveEntries}`,
    )}
    ${ofOff("o.user_id IS NULL AND o.client_id IS NOT NULL", "grants", `client_id = o.client_id AND ${liveGrants}`)}
    ${ofOff("o.user_id IS NULL AND o.client_id IS NOT NULL", "status_entries", `client_id = o.client_id AND ${liveEntries}`)}
    ${ofOff(
      "o.user_id IS NULL AND o.client_id IS NOT NULL AND o.before = 'infinity'",
      "clients",
      "id = o.client_id AND status_index IS NOT NULL",
    )}
    ${ofOff("o.resource_id IS NOT NULL", "grants", `resource_id = o.resource_id AND ${liveGrants}`)}
    ${ofOff("num_nonnulls(o.user_id, o.client_id, o.resource_id) = 0", "grants", liveGrants)}
    ${ofOff("num_nonnulls(o.user_id, o.client_id, o.resource_id) = 0", "status_entries", liveEntries)}
  )
  SELECT capacity, (SELECT string_agg(int4send(status_index), ''::bytea) FROM ended) AS indexes,
    EXISTS (SELECT FROM stops WHERE key = 'all' AND stopped AND not_before > now() - ${listedFor}) AS everything
  FROM status_list`;

/** The token status list as the database has it at one moment. */
export interface EndedEntries {
  /** Every index is below it. */
  readonly capacity: number;
  /** The *invalid* entries, four bytes each (big-endian), in no order; some may be repeated. */
  readonly indexes: Buffer;
  /** Everything was stopped, so every entry is *invalid*, also those that `indexes` lacks. */
  readonly everything: boolean;
}

type EndedRow = Omit<EndedEntries, "indexes"> & { readonly indexes: Buffer | null };

export function createStatusListStore(database: Database) {
  return {
    async readEnded(): Promise<EndedEntries> {
      const statement = { name: "status_list_ended", text: endedSql, values: [] };
      const [row] = await prepared<EndedRow>(database, statement);
      if (row === undefined) throw new Error("The token status list has no capacity.");
      return { ...row, indexes: row.indexes ?? Buffer.alloc(0) };
    },
  };
}

/** The entries that were drawn for these holders. Reads the whole table: only for statements whose answer was lost. */
export async function findDrawn(
  database: Database,
  holders: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (holders.length === 0) return new Map();
  const rows = await prepared<{ holder: string; statusIndex: number }>(database, {
    name: "status_entries_of_holders",
    text: 'SELECT holder, status_index AS "statusIndex" FROM status_entries WHERE holder = ANY ($1::text[])',
    values: [holders],
  });
  return new Map(rows.map(({ holder, statusIndex }) => [holder, statusIndex]));
}
