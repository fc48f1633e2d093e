import type { PostgresPool } from "./pool.js";
import type { TableName } from "./table-name.js";

/** Until then after its expiry a key may be new: clocks of servers differ a little. */
export const acceptedSeconds = 30;
// So much longer it is remembered as an INSERT that began before may take.
const keptSeconds = 120;
const batchSize = 1000;

/**
 * Deletes keys that are expired by the clock of the database, in small batches, so that no lock is held for long, and
 * passes over those that another process is deleting.
 *
 * @returns how many were deleted
 */
export async function pruneExpired(
  pool: PostgresPool,
  table: TableName,
  timeoutMilliseconds: number,
): Promise<number> {
  const text = `DELETE FROM ${table.qualified} WHERE key IN (
    SELECT key FROM ${table.qualified} WHERE expires_at < now() - interval '${keptSeconds} seconds'
    ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
  )`;
  let deleted = 0;
  let inBatch: number;
  do {
    const { rowCount } = await pool.query({ text, values: [], query_timeout: timeoutMilliseconds });
    inBatch = rowCount ?? 0;
    deleted += inBatch;
  } while (inBatch === batchSize);
  return deleted;
}
