import type { DpopReplayStore } from "../dpop-replays.js";
import { type Database, prepared } from "./database.js";

/** What is over by the clock of the database may have been used and forgotten, so it is not new. */
const consumeSql = `
  INSERT INTO dpop_replays (key, expires_at)
  SELECT $1::text, to_timestamp($2::float8) WHERE to_timestamp($2::float8) > now() ON CONFLICT DO NOTHING
  RETURNING key`;

export function createDpopReplayStore(database: Database): DpopReplayStore {
  return {
    async consume({ key, expiresAt }) {
      const rows = await prepared(database, {
        name: "dpop_consume",
        text: consumeSql,
        values: [key, expiresAt],
      });
      return rows.length > 0;
    },
  };
}
