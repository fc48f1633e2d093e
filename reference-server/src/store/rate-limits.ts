import type { RateLimitStore, SharedRateCount } from "../platform/rate-limits/shared-counts.js";
import { type Database, prepared } from "./postgres/database.js";

/** In one order, so that two processes which add to the same keys never wait for each other in a circle. */
const addSql = `
  WITH added AS (
    INSERT INTO rate_limits (key, minute, count)
    SELECT * FROM unnest($1::text[], $2::integer[], $3::integer[]) AS new (key, minute, count) ORDER BY key, minute
    ON CONFLICT (key, minute) DO UPDATE SET count = rate_limits.count + excluded.count
    RETURNING key, minute, count
  )
  SELECT added.key, added.minute, added.count, coalesce(before.count, 0) AS previous
  FROM added LEFT JOIN rate_limits before ON before.key = added.key AND before.minute = added.minute - 1`;

export function createRateLimitStore(database: Database): RateLimitStore {
  return {
    async add(counts) {
      const values = [
        counts.map(({ key }) => key),
        counts.map(({ minute }) => minute),
        counts.map(({ count }) => count),
      ];
      return await prepared<SharedRateCount>(database, { name: "rate_limit_add", text: addSql, values });
    },
  };
}
