import { defaultTable, parseTableName } from "./table-name.js";

/**
 * The SQL that creates the table and its index, for your own migrations. Running it twice does no harm.
 *
 * The same text for the default table is shipped as `migrations/001-create-authz-replays.sql`.
 *
 * @param table - `table` or `schema.table`; `authz_replays` by default
 * @throws {TypeError} The name is not plain.
 */
export function createTable(table: string = defaultTable): string {
  const { qualified, index } = parseTableName("createTable: table", table);
  return `-- Which proofs and assertions were used, until they expire.
-- A logged table on purpose: an UNLOGGED one is empty after a crash, and what was used could be used again.
CREATE TABLE IF NOT EXISTS ${qualified} (
  key text COLLATE "C" PRIMARY KEY,
  expires_at timestamptz NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX IF NOT EXISTS ${index} ON ${qualified} (expires_at);
`;
}
