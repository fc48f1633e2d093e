import { type Database, prepared, translateDatabaseError } from "./database.js";

/** Much less than a statement may take otherwise: it changes one row that no one holds for long. */
const deadlineSeconds = 3;

/** Changes a row, which fails without a primary that can write, and writes new pages, which fails on a full disk. */
const checkSql =
  "UPDATE write_checks SET checked_at = clock_timestamp() WHERE write_pages() RETURNING checked_at";

export function createWriteCheck(database: Database): () => Promise<Date> {
  return async () => {
    try {
      const statement = { name: "write_check", text: checkSql, values: [], deadlineSeconds };
      const [row] = await prepared<{ checked_at: Date }>(database, statement);
      if (row === undefined) throw new Error("The row of write_checks is missing.");
      return row.checked_at;
    } catch (error) {
      throw translateDatabaseError(error);
    }
  };
}
