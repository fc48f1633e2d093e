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
