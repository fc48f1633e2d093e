import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../src/store/postgres/database.js";
import { DatabaseUnavailableError } from "../../src/store/database-unavailable-error.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function backend(pool: ReturnType<typeof openDatabase>): Promise<number> {
  const { rows } = await pool.raw<{ rows: { pid: number }[] }>("SELECT pg_backend_pid() AS pid");
  return rows[0]?.pid ?? 0;
}

test("the database ends a statement before the server gives its connection up, which is used again", async () => {
  const pool = openDatabase({ postgresUrl: database.url, statementSeconds: 2 });
  const before = await backend(pool);
  await expect(pool.raw("SELECT pg_sleep(60)")).rejects.toMatchObject({ code: "57014" });
  expect(await backend(pool)).toBe(before);
  await pool.destroy();
});

test("a connection to a server that became read-only is not used again", async () => {
  const pool = openDatabase({ postgresUrl: database.url });
  const before = await backend(pool);
  await pool.raw("SET default_transaction_read_only = on");
  await expect(pool.raw("UPDATE write_checks SET checked_at = now()")).rejects.toMatchObject({
    code: "25006",
  });
  expect(await backend(pool)).not.toBe(before);
  await pool.raw("UPDATE write_checks SET checked_at = now()");
  await pool.destroy();
});

test("the driver says nothing of its own for each connection that an outage refuses", async () => {
  const url = new URL(database.url);
  url.pathname = "/there_is_no_such_database";
  const lines: string[] = [];
  const note = (level: string) => () => void lines.push(level);
  const pool = openDatabase({ postgresUrl: url.href, log: { warn: note("warn"), debug: note("debug") } });
  await expect(pool.raw("SELECT 1")).rejects.toThrow(DatabaseUnavailableError);
  expect(lines).toEqual(["debug"]);
  await pool.destroy();
});
