import { type Database, prepared } from "./postgres/database.js";

/** A proof that has expired by the clock of the database may have been used and removed, so it is not new. */
const consumeSql = `
  INSERT INTO dpop_replays (key, expires_at)
  SELECT $1::text, to_timestamp($2::float8) WHERE to_timestamp($2::float8) > now() ON CONFLICT DO NOTHING
  RETURNING key`;

/** The proofs that were accepted, shared by all processes. Fits `ReplayStore` of `@authz/dpop`. */
export function createDpopReplayStore(database: Database) {
  return {
    /**
     * Returns whether the proof is new. `expiresAt` is in epoch seconds; an expired proof, by the clock of the database, is not new,
     * because its use would not be remembered.
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
