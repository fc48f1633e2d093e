import type { PostgresPool } from "./pool.js";
import type { TableName } from "./table-name.js";

// Clocks of servers differ. A key that is kept a minute too long harms nobody, one forgotten too early could be replayed.
const graceSeconds = 60;
const batchSize = 1000;

/**
 * Deletes expired keys in small batches, so that no lock is held for long, and passes over those that another process
 * is deleting.
 *
 * @returns how many were deleted
 */
export async function pruneExpired(
  pool: PostgresPool,
  table: TableName,
  nowSeconds: number,
): Promise<number> {
  const text = `DELETE FROM ${table.qualified} WHERE key IN (
    SELECT key FROM ${table.qualified} WHERE expires_at < to_timestamp($1)
    ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
  )`;
  let deleted = 0;
  let inBatch: number;
  do {
    const { rowCount } = await pool.query({ text, values: [nowSeconds - graceSeconds] });
    inBatch = rowCount ?? 0;
    deleted += inBatch;
  } while (inBatch === batchSize);
  return deleted;
}
