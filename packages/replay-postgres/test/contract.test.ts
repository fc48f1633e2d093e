import { fileURLToPath } from "node:url";
import { describeReplayStore } from "@authz/contract-tests/replay-store";
import { createTable } from "@authz/replay-postgres";
import { afterAll, beforeAll } from "vitest";
import { createDatabase } from "./database.js";
import { openStore } from "./open-store.js";

let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase();
  const { pool, close } = openStore(database.url);
  await pool.query(createTable());
  await close();
});
afterAll(() => database.drop());

describeReplayStore(
  "postgres()",
  async () => {
    const opened = openStore(database.url);
    await opened.pool.query("TRUNCATE authz_replays");
    return { ...opened, address: database.url };
  },
  {
    openerModule: fileURLToPath(new URL("open-store.ts", import.meta.url)),
    openUnreachable: async () => openStore("postgres://nobody@127.0.0.1:1/nowhere"),
  },
);
