import type { DpopReplayStore } from "../dpop-replays.js";
import { type Database, prepared } from "./database.js";

const consumeSql = `
  INSERT INTO dpop_replays (key, expires_at) VALUES ($1, to_timestamp($2)) ON CONFLICT DO NOTHING
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
