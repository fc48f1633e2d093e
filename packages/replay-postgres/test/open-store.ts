import { postgres } from "@authz/replay-postgres";
import { Pool } from "pg";

/** Opens the store behind a database URL, for the test and for the processes it starts. */
export function openStore(address: string) {
  const pool = new Pool({ connectionString: address, max: 10 });
  // A connection that PostgreSQL ends on its own is an event of the pool, not the end of the process.
  pool.on("error", () => {});
  const store = postgres({ pool, pruneIntervalSeconds: 0 });
  return { pool, store, close: () => pool.end() };
}
