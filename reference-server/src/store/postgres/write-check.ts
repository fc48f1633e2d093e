import { type Database, prepared, translateDatabaseError } from "./database.js";

/** Much less than a statement may take otherwise: it changes one row that nobody holds for long. */
const deadlineSeconds = 3;

const checkSql = "UPDATE write_checks SET checked_at = clock_timestamp() RETURNING checked_at";

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
