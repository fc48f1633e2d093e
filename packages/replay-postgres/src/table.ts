/** The table of a store, as SQL: every part quoted. */
export interface TableName {
  /** `"schema"."table"` or `"table"`. */
  readonly qualified: string;
  /** For the name of the index, which lives in the schema of its table. */
  readonly index: string;
}

export const defaultTable = "authz_replays";

const identifier = /^[a-z_][a-z0-9_]{0,40}$/;

/**
 * Reads `table` or `schema.table`. Only plain lower-case names, so that the name needs no quoting by hand anywhere.
 *
 * @throws {TypeError}
 */
export function parseTableName(option: string, table: unknown): TableName {
  const parts = typeof table === "string" ? table.split(".") : [];
  const isName = parts.length > 0 && parts.length <= 2 && parts.every((part) => identifier.test(part));
  if (!isName) {
    throw new TypeError(
      `${option} must be "table" or "schema.table" in lower-case letters, digits and underscores.`,
    );
  }
  return {
    qualified: parts.map((part) => `"${part}"`).join("."),
    index: `"${parts.at(-1)}_expires_at_idx"`,
  };
}

/**
 * The SQL that creates the table and its index, for your own migrations. Running it twice does no harm.
 *
 * The same SQL for the default table is shipped as `migrations/001-create-authz-replays.sql`.
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
