import { bytea, type Database, queryRows } from "./postgres/database.js";

/** Alike refusals without events of their own. */
export interface RefusalSum {
  /** The digest of `event`. */
  readonly key: Buffer;
  /** The end of the hour that they belong to. */
  readonly endsAt: Date;
  /** The members that they share. */
  readonly event: Readonly<Record<string, unknown>>;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** In one order, so that two processes which add to the same sums never wait for each other in a circle. */
const addSql = `
  INSERT INTO audit_refusals (key, ends_at, event, count, first_at, last_at)
  SELECT key, "endsAt", event, count, "firstAt", "lastAt"
  FROM jsonb_to_recordset(?::jsonb) AS new (key bytea, "endsAt" timestamptz, event jsonb, count bigint,
    "firstAt" timestamptz, "lastAt" timestamptz)
  ORDER BY key, "endsAt"
  ON CONFLICT (key, ends_at) DO UPDATE SET count = audit_refusals.count + excluded.count,
    first_at = least(audit_refusals.first_at, excluded.first_at),
    last_at = greatest(audit_refusals.last_at, excluded.last_at)`;

const takeSql = `
  DELETE FROM audit_refusals WHERE (key, ends_at) IN (
    SELECT key, ends_at FROM audit_refusals WHERE ends_at < ? ORDER BY ends_at LIMIT ? FOR UPDATE SKIP LOCKED)
  RETURNING key, ends_at AS "endsAt", event, count::float8, first_at AS "firstAt", last_at AS "lastAt"`;

export function createAuditRefusalStore(database: Database) {
  return {
    /** Adds to the sums of all processes, in one statement. Each key and hour at most once. */
    async add(sums: readonly RefusalSum[]): Promise<void> {
      const rows = sums.map((sum) => ({ ...sum, key: bytea(sum.key) }));
      if (rows.length > 0) await database.raw(addSql, [JSON.stringify(rows)]);
    },
    /** Takes sums of hours that ended before then. Call it inside the transaction that records them. */
    async take({
      endedBefore,
      limit,
    }: {
      readonly endedBefore: Date;
      readonly limit: number;
    }): Promise<readonly RefusalSum[]> {
      return await queryRows(database, takeSql, [endedBefore, limit]);
    },
  };
}
