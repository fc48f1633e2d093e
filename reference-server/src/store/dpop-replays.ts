import { type Database, prepared } from "./postgres/database.js";

/** What is over by the clock of the database may have been used and forgotten, so it is not new. */
const consumeSql = `
  INSERT INTO dpop_replays (key, expires_at)
  SELECT $1::text, to_timestamp($2::float8) WHERE to_timestamp($2::float8) > now() ON CONFLICT DO NOTHING
  RETURNING key`;

/** The proofs that were accepted, shared by all processes. Fits `ReplayStore` of `@authz/dpop`. */
export function createDpopReplayStore(database: Database) {
  return {
    /**
     * Returns whether the proof is seen for the first time. `expiresAt` is in epoch seconds; what is over by the clock of
     * the database is not, because nobody would remember it.
     */
    async consume({
      key,
      expiresAt,
    }: {
      readonly key: string;
      readonly expiresAt: number;
    }): Promise<boolean> {
      const rows = await prepared(database, {
        name: "dpop_consume",
        text: consumeSql,
        values: [key, expiresAt],
      });
      return rows.length > 0;
    },
  };
}
